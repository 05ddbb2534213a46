'use client';

import { type ComponentType, lazy, Suspense } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface Closable {
  onClose: () => void;
}

/** Returns a dialog whose code is loaded when it opens for the first time, because few readers of a page open it. */
export function lazyDialog<Props extends Closable>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const Dialog = lazy(() => load().then(asDefault, () => asDefault<Props>((props) => <NotLoaded {...props} />)));
  return (props) => (
    <Suspense fallback={null}>
      <Dialog {...props} />
    </Suspense>
  );
}

function asDefault<Props>(dialog: ComponentType<Props>) {
  return { default: dialog };
}

function NotLoaded({ onClose }: Closable) {
  return (
    <ConfirmDialog
      title="We couldn’t open this"
      action="Load the page again"
      doing="Loading…"
      keep="Cancel"
      busy={false}
      isLoss={false}
      onConfirm={() => location.reload()}
      onClose={onClose}
    >
      Nothing was sent. Check your connection, then load the page again.
    </ConfirmDialog>
  );
}
