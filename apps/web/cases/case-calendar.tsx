import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { placeInWords } from '@case-platform/words/whereabouts';
import { ChevronDown } from 'lucide-react';
import type { ScheduledPayment } from '../api/api-shapes.ts';
import { Arrival } from '../look/arrival.tsx';
import { DueDay } from '../look/due-day.tsx';
import { Link } from '../look/link.tsx';

interface Props {
  payments: readonly ScheduledPayment[];
  /** Whether the reader may request planned payments. */
  mayAsk: boolean;
}

const LOOKS: Record<ScheduledPayment['status'], { words: string; mark: string }> = {
  planned: { words: 'Planned', mark: '' },
  requested: { words: 'Requested', mark: 'is-active' },
  paid: { words: 'Paid', mark: 'is-done' },
  cancelled: { words: 'Cancelled', mark: '' },
};

/** A case's payment calendar (PLAN-1): one fold per category with its progress, its next payment, and all payments. */
export function CaseCalendar({ payments, mayAsk }: Props) {
  const byCategory = Map.groupBy(payments, ({ category }) => category);
  if (byCategory.size === 0) return null;
  return (
    <section>
      <h2 className="section-title">Scheduled payments</h2>
      <div className="panel divide-y divide-(--hairline) overflow-hidden">
        {[...byCategory].map(([category, lines]) => (
          <Category key={category} category={category} lines={lines} mayAsk={mayAsk} />
        ))}
      </div>
    </section>
  );
}

function Category({ category, lines, mayAsk }: { category: string; lines: ScheduledPayment[]; mayAsk: boolean }) {
  const live = lines.filter(({ status }) => status !== 'cancelled');
  const paid = live.filter(({ status }) => status === 'paid');
  const next = live.find(({ status }) => status !== 'paid');
  return (
    <details className="group">
      <summary className="list-row cursor-pointer list-none hover:bg-(--hover) [&::-webkit-details-marker]:hidden">
        <span className="row-who flex items-center gap-2 font-medium">
          <ChevronDown
            className="size-4 flex-none -rotate-90 transition-transform group-open:rotate-0 motion-reduce:transition-none"
            aria-hidden="true"
          />
          {sentence(category)}
        </span>
        <span className="row-when">{live.length === 0 ? 'Cancelled' : `${paid.length} of ${live.length} paid`}</span>
        {next !== undefined && (
          <span className="row-note ps-6">
            Next {moneyWords(next.amount_cents)}, due <DueDay day={next.due_date} />
          </span>
        )}
      </summary>
      <ul className="row-list border-t border-(--hairline)">
        {lines.map((line) => (
          <li key={line.id}>
            <Line line={line} mayAsk={mayAsk} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A requested payment says where its money is, for readers of its request (WHERE-1). */
function lookOf({ status, whereabouts }: ScheduledPayment): { words: string; mark: string } {
  if (whereabouts === null || status !== 'requested') return LOOKS[status];
  const { label, mark } = placeInWords(whereabouts.state);
  return { words: label, mark };
}

function Line({ line, mayAsk }: { line: ScheduledPayment; mayAsk: boolean }) {
  const { id, case_id, category, description, due_date, amount_cents, status, payee, disbursement_id, whereabouts } = line;
  const { words, mark } = lookOf(line);
  return (
    <div className="list-row ps-10">
      <span className="row-who">{description || sentence(category)}</span>
      <span className="money">{moneyWords(amount_cents)}</span>
      <span className="row-what quiet">
        Due <DueDay day={due_date} />
        {payee !== null && ` · to ${payee.name}`}
        {status === 'requested' && whereabouts?.arrives != null && (
          <>
            {' · '}
            <Arrival whereabouts={whereabouts} />
          </>
        )}
      </span>
      <span className="row-state">
        <span className={`state-pill ${mark}`}>{words}</span>
      </span>
      {disbursement_id !== null && (
        <Link className="row-note link -mb-2 flex min-h-11 items-center" href={`/disbursements/${disbursement_id}`}>
          See the request
        </Link>
      )}
      {mayAsk && status === 'planned' && disbursement_id === null && (
        <Link
          className="row-note link -mb-2 flex min-h-11 items-center"
          href={`/disbursements/new?case_id=${case_id}&payment=${id}`}
        >
          Request this payment
        </Link>
      )}
    </div>
  );
}
