'use client';

import PageError from '../error.tsx';

/** When a page fails while it is being made: the frame with its ways to other pages stays. */
export default function FramedPageError(props: { error: Error; reset: () => void }) {
  return (
    <main id="main" className="shell-main" tabIndex={-1}>
      <PageError {...props} />
    </main>
  );
}
