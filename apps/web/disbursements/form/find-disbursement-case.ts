import 'server-only';
import { isMissing } from '../../api/api-error.ts';
import type { Benefit, CaseDetails, Page, Payee, ScheduledPayment } from '../../api/api-shapes.ts';
import { type ApiAnswer, apiServer } from '../../session/api-server.ts';

export interface DisbursementCase {
  id: number;
  name: string;
  /** The people whom the reader can choose as the payee. */
  people: Payee[];
  categories: string[];
  /** The contract limits, with what is left of each. */
  benefits: Benefit[];
  /** The money that is available; null for readers who may not see it. */
  availableCents: number | null;
  /** Scheduled payments that are not requested yet. */
  planned: ScheduledPayment[];
}

/**
 * Loads what the form of a request needs about a case. A reader who may not see its limits or planned payments gets a form
 * without them. If loading them fails, there is no form, because someone might request a planned payment a second time.
 * @returns a failed answer if there is one, preferably a 429, which says how long to wait.
 */
export async function findDisbursementCase(id: number): Promise<ApiAnswer<DisbursementCase>> {
  const [details, payees, calendar, benefits] = await Promise.all([
    apiServer<CaseDetails>(`/api/cases/${id}`),
    apiServer<{ data: Payee[] }>(`/api/cases/${id}/payees`),
    apiServer<Page<ScheduledPayment>>(`/api/cases/${id}/scheduled-payments?limit=100`),
    apiServer<{ data: Benefit[] }>(`/api/cases/${id}/benefits`),
  ]);
  const busy = [details, payees, calendar, benefits].filter((answer) => !answer.ok).find(({ status }) => status === 429);
  if (busy !== undefined) return busy;
  if (!details.ok) return details;
  if (!payees.ok) return payees;
  if (!calendar.ok && !isMissing(calendar)) return calendar;
  if (!benefits.ok && !isMissing(benefits)) return benefits;
  const payments = calendar.ok ? calendar.data.data : [];
  const data = {
    id,
    name: details.data.name,
    people: payees.data.data,
    categories: details.data.categories,
    benefits: benefits.ok ? benefits.data.data : [],
    availableCents: details.data.balance?.available_cents ?? null,
    planned: payments.filter(({ status, disbursement_id }) => status === 'planned' && disbursement_id === null),
  };
  return { ok: true, status: details.status, data };
}
