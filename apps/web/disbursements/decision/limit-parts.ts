import { moneyWords } from '@case-platform/words/money';
import type { Disbursement } from '../../api/api-shapes.ts';

type Benefit = NonNullable<Disbursement['benefit']>;

/** The parts of a bar that shows a contract limit with one request. Its width is 1: the limit, or all requests if they exceed it. */
export interface LimitParts {
  used: number;
  requested: number;
  thisOne: number;
  /** Where the limit is; 1 unless the request exceeds it. */
  limit: number;
  isOver: boolean;
  /** '$162.50 left after this, of $400.00 this month'. */
  words: string;
}

/** The figures of a request's limit do not include the request itself (CONTRACT-2). */
export function limitParts({ cap_cents, used_cents, held_cents, period, over_by_cents }: Benefit, amount: number): LimitParts {
  const whole = Math.max(cap_cents, used_cents + held_cents + amount, 1);
  const share = (cents: number) => Math.max(cents, 0) / whole;
  const isOver = over_by_cents > 0;
  const after = cap_cents - used_cents - held_cents - amount;
  const limit = `${moneyWords(cap_cents)}${period === 'month' ? ' this month' : ''}`;
  return {
    used: share(used_cents),
    requested: share(held_cents),
    thisOne: share(amount),
    limit: share(cap_cents),
    isOver,
    words: isOver
      ? `${moneyWords(over_by_cents)} over the limit of ${limit}`
      : `${moneyWords(after)} of ${limit} left after this`,
  };
}
