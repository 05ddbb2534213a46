import { moneyWords } from '@case-platform/words/money';
import type { CaseBalance as Balance } from '../api/api-shapes.ts';

/** Shows what can still be requested, and where the rest of the money is. */
export function CaseBalance({ balance }: { balance: Balance }) {
  const { available_cents, held_cents, paid_cents, funded_cents } = balance;
  return (
    <dl className="panel mb-4 grid grid-cols-3 gap-x-4 gap-y-3 p-4 sm:grid-cols-4">
      <Figure words="Available" cents={available_cents} isMain />
      <Figure words="Set aside" cents={held_cents} />
      <Figure words="Paid out" cents={paid_cents} />
      <Figure words="Paid in" cents={funded_cents} />
    </dl>
  );
}

function Figure({ words, cents, isMain = false }: { words: string; cents: number; isMain?: boolean }) {
  return (
    <div className={isMain ? 'max-sm:col-span-3' : ''}>
      <dt className="quiet text-small">{words}</dt>
      <dd className={`money text-left ${isMain ? 'text-xl font-semibold' : 'text-small sm:text-base'}`}>{moneyWords(cents)}</dd>
    </div>
  );
}
