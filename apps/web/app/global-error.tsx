'use client';

import { VisitNumber } from '../look/visit-number.tsx';
import './globals.css';

/** Shown when even the application's frame fails. It needs no font, session, or script. */
export default function GlobalError() {
  return (
    <html lang="en">
      <body>
        <title>Something went wrong</title>
        <main className="empty-state min-h-dvh">
          <h1 className="text-title font-semibold">Something went wrong on our side</h1>
          <p>Nothing you wrote is lost. Load the page again. If that doesn’t help, come back in a few minutes.</p>
          {/* A full load on purpose: the application's own navigation may be what failed. */}
          <a className="btn btn-primary mt-3" href="/">
            Go to the home page
          </a>
          <VisitNumber />
        </main>
      </body>
    </html>
  );
}
