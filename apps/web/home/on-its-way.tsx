import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import type { Home } from '../api/api-shapes.ts';
import { LeadNumber } from './lead-number.tsx';

/** The money on its way to the reader, by where it is (HOME-3). Requests that wait for approval are named apart. */
export function OnItsWay({ incoming }: { incoming: NonNullable<Home['incoming']> }) {
  const { on_its_way_cents, parts } = incoming;
  return (
    <LeadNumber
      title="On its way to you"
      amount={moneyWords(on_its_way_cents)}
      note={parts.length === 0 ? 'Nothing is on its way right now.' : null}
      parts={parts.map(({ state, label, count, amount_cents, stopped_cents }) => {
        const isStopped = state === 'being_sent' && stopped_cents > 0;
        const rest = isStopped ? `, ${moneyWords(stopped_cents)} of it can’t be sent for now` : '';
        return {
          words: `${label}, ${counted(count, 'request')}${rest}`,
          amount: moneyWords(amount_cents),
          isShort: isStopped,
          isApart: state === 'waiting_for_approval' && parts.length > 1,
        };
      })}
      more={{ href: '/payments', words: 'Paid to you' }}
    />
  );
}
