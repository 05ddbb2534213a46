import { moneyWords } from '@case-platform/words/money';
import { shortfallWords } from '@case-platform/words/projection/shortfall';
import type { Home } from '../api/api-shapes.ts';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';

/** The balance of the parents' case, with a warning if what is planned exceeds it (PROJECTION-1). */
export function HomeBalance({ balance, shortfall }: Pick<Home, 'balance' | 'shortfall'>) {
  if (balance === null) return null;
  const { case_id, case_name, available_cents, held_cents, planned_cents } = balance;
  return (
    <section>
      <h2 className="section-title">
        {case_name} balance
        <Link className="link" href={`/cases/${case_id}`}>
          See the case
        </Link>
      </h2>
      {shortfall !== null && (
        <Notice kind="waiting" title={`${shortfall.case_name}: ${shortfallWords(shortfall)}`} className="mb-4">
          Everything that’s planned comes to more than what’s available. Your escrow specialist can tell you how to make a
          deposit.
        </Notice>
      )}
      <dl className="panel grid grid-cols-2 gap-x-4 gap-y-3 p-4 sm:grid-cols-3">
        <Figure words="Available" cents={available_cents} isMain />
        <Figure words="Set aside" cents={held_cents} />
        <Figure words="Planned" cents={planned_cents} />
      </dl>
    </section>
  );
}

function Figure({ words, cents, isMain = false }: { words: string; cents: number; isMain?: boolean }) {
  return (
    <div className={isMain ? 'max-sm:col-span-2' : ''}>
      <dt className="quiet text-small">{words}</dt>
      <dd className={`money text-left ${isMain ? 'text-xl font-semibold' : ''}`}>{moneyWords(cents)}</dd>
    </div>
  );
}
