'use client';

import { visitId } from '../api/analytics.ts';
import { useHydrated } from './use-hydrated.ts';

/** What to tell support: it leads to what failed in the log. Known in the browser alone. */
export function VisitNumber() {
  const visit = useHydrated() ? visitId() : '';
  if (visit === '') return null;
  return (
    <p className="quiet text-small">
      If you ask us about it, tell us this number: <span className="font-mono break-all">{visit}</span>
    </p>
  );
}
