'use client';

import { ErrorState } from '../look/error-state.tsx';

/** Shown when a page fails to render. */
export default function PageError({ reset }: { error: Error; reset: () => void }) {
  return (
    <ErrorState
      title="We couldn’t show this page"
      text="Nothing you wrote is lost. Try again. If that doesn’t help, come back in a few minutes."
      onRetry={reset}
    />
  );
}
