'use client';

import { ErrorState } from '../look/error-state.tsx';

/** When a page fails while it is being made. */
export default function PageError({ reset }: { error: Error; reset: () => void }) {
  return (
    <ErrorState
      title="This page could not be shown"
      text="Nothing that you wrote is lost. Try again; if it happens once more, come back in a few minutes."
      onRetry={reset}
    />
  );
}
