import { arrivalVerb } from '@case-platform/words/whereabouts';
import type { SeenDisbursement } from '../api/api-shapes.ts';
import { MoneyDay } from './due-day.tsx';

/** When the money arrives, with the earlier day if it moved; nothing while no day is or was known (WHERE-3). */
export function Arrival({ whereabouts }: Pick<SeenDisbursement, 'whereabouts'>) {
  const { arrives, was } = whereabouts;
  if (arrives === null && was === null) return null;
  return (
    <>
      {arrives === null ? (
        'no day is known now'
      ) : (
        <>
          {arrivalVerb(whereabouts)} <MoneyDay day={arrives.date} />
        </>
      )}
      {was !== null && (
        <>
          {' (was '}
          <MoneyDay day={was} />)
        </>
      )}
    </>
  );
}
