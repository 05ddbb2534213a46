'use client';

import PageError from '../error.tsx';

/** Shown when a page fails to render. The frame stays, so that people can go to another page. */
export default function FramedPageError(props: { error: Error; reset: () => void }) {
  return (
    <main id="main" className="shell-main" tabIndex={-1}>
      <PageError {...props} />
    </main>
  );
}
