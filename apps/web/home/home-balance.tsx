'use client';

import { monthWords } from '@case-platform/words/day-words';
import { dayOf } from '@case-platform/words/days';
import { moneyWords, signedMoneyWords } from '@case-platform/words/money';
import type { CaseAtALook, Home } from '../api/api-shapes.ts';
import { useClock } from '../look/clock.tsx';
import { enoughWords } from './home-words.ts';
import { LeadNumber } from './lead-number.tsx';

interface Props {
  balance: NonNullable<Home['balance']>;
  shortfall: CaseAtALook['shortfall'];
  nameCase: boolean;
}

/** The money available in the parents' case, how long it lasts, and how much of it the whole plan leaves (PROJECTION-2). */
export function HomeBalance({ balance, shortfall, nameCase }: Props) {
  const { zone, now } = useClock();
  const { case_id, case_name, available_cents, held_cents, planned_cents } = balance;
  const enough = enoughWords({ planned_cents, shortfall }, dayOf(now, zone));
  const unplannedCents = available_cents - planned_cents;
  return (
    <LeadNumber
      title={nameCase ? `Available for ${case_name}` : 'Available'}
      amount={moneyWords(available_cents)}
      note={enough === null ? null : <span suppressHydrationWarning>{enough}</span>}
      parts={[
        { words: 'Planned payments', amount: planned_cents === 0 ? moneyWords(0) : signedMoneyWords(-planned_cents) },
        shortfall === null
          ? { words: 'Left after that', amount: moneyWords(unplannedCents) }
          : {
              words: `Short from ${monthWords(shortfall.month)} on`,
              amount: signedMoneyWords(-shortfall.missing_cents),
              isShort: true,
            },
        { words: 'Set aside for approved requests', amount: moneyWords(held_cents), isApart: true },
      ]}
      more={{ href: `/cases/${case_id}`, words: 'See the case and its months ahead' }}
    />
  );
}
