'use client';

import { type ReactNode, useEffect, useId, useRef } from 'react';

interface Props {
  title: string;
  children: ReactNode;
  /** The verb on the confirming button; the other button cancels. */
  action: string;
  /** The text of the confirming button while the action runs. It can no longer be cancelled then. */
  doing: string;
  keep: string;
  busy: boolean;
  /** True if confirming destroys something. */
  isLoss?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/**
 * Asks for confirmation. The browser traps the focus and restores it. Escape cancels, but not while the action runs, because a
 * dialog that closes then would look as if nothing had been done.
 */
export function ConfirmDialog(props: Props) {
  const { title, children, action, doing, keep, busy, isLoss = true, onConfirm, onClose } = props;
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="confirm-dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onCancel={(event) => busy && event.preventDefault()}
      // Browsers close the dialog at a second Escape, even if the first one was prevented.
      onClose={() => (busy ? dialog.current?.showModal() : onClose())}
    >
      <h2 id={`${id}-title`} className="confirm-title">
        {title}
      </h2>
      <div id={`${id}-text`} className="confirm-text">
        {children}
      </div>
      <div className="confirm-actions">
        <button type="button" className="btn" disabled={busy} onClick={() => dialog.current?.close()}>
          {keep}
        </button>
        <button
          type="button"
          className={`btn ${isLoss ? 'btn-error' : 'btn-primary'}`}
          // Unlike `disabled`, this keeps the focus on the button.
          aria-disabled={busy}
          data-busy={busy}
          onClick={() => busy || onConfirm()}
        >
          {busy ? doing : action}
        </button>
      </div>
    </dialog>
  );
}
