'use client';

import { visitId } from '../api/analytics.ts';
import { useHydrated } from './use-hydrated.ts';

/** The random number of the visit, by which support finds the error in the log. It exists only in the browser. */
export function VisitNumber() {
  const visit = useHydrated() ? visitId() : '';
  if (visit === '') return null;
  return (
    <p className="quiet text-small">
      If you ask us about it, tell us this number: <span className="font-mono break-all">{visit}</span>
    </p>
  );
}
