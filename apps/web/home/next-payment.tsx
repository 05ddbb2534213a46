import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { CalendarClock } from 'lucide-react';
import Link from 'next/link';
import type { Case, Page, ScheduledPayment } from '../api/api-shapes.ts';
import { DueDay } from '../look/due-day.tsx';
import { apiServer } from '../session/api-server.ts';

/** How many cases' calendars are read: most people have one case. */
const CASES_MOST = 5;

/** The payment that is due next in these cases, by their calendars; null when there is none. */
export async function findNextPayment(cases: readonly Pick<Case, 'id'>[]): Promise<ScheduledPayment | null> {
  const calendars = await Promise.all(
    cases
      .slice(0, CASES_MOST)
      .map(({ id }) => apiServer<Page<ScheduledPayment>>(`/api/cases/${id}/scheduled-payments?limit=100`)),
  );
  const [next] = calendars
    .flatMap((calendar) => (calendar.ok ? calendar.data.data : []))
    .filter(({ status }) => status === 'planned' || status === 'requested')
    .sort((a, b) => a.due_date.localeCompare(b.due_date));
  return next ?? null;
}

/** The next payment: for what, how much, when and to whom. The case is named if there are several. */
export function NextPayment({ next, cases }: { next: ScheduledPayment; cases: readonly Case[] }) {
  const ofCase = cases.find(({ id }) => id === next.case_id);
  return (
    <section>
      <h2 className="section-title">Next payment</h2>
      <Link className="list-row panel" href={`/cases/${next.case_id}`}>
        <span className="row-lead">
          <span className="attachment-mark" aria-hidden="true">
            <CalendarClock />
          </span>
        </span>
        <span className="row-who">{next.description || sentence(next.category)}</span>
        <span className="row-when money text-base font-semibold text-base-content">
          {moneyWords(next.amount_cents)}
        </span>
        <span className="row-what">
          {next.status === 'requested' ? 'Requested, due ' : 'Due '}
          <DueDay day={next.due_date} />
        </span>
        <span className="row-note">
          {[next.payee === null ? '' : `To ${next.payee.name}`, cases.length > 1 ? ofCase?.name : '']
            .filter(Boolean)
            .join(' · ')}
        </span>
      </Link>
    </section>
  );
}
