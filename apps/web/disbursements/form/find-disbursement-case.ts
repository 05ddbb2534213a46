import { toApiUserType } from '@case-platform/words/user-types';
import 'server-only';
import type { Benefit, CaseDetails, Page, Person, ScheduledPayment } from '../../api/api-shapes.ts';
import { apiServer } from '../../session/api-server.ts';
import type { Me } from '../../session/session-shapes.ts';

export interface DisbursementCase {
  id: number;
  name: string;
  /** The people who may be paid, with the reader first. */
  people: Person[];
  categories: string[];
  /** The contract limits, with what is left of each. */
  benefits: Benefit[];
  /** Scheduled payments that are not requested yet. */
  planned: ScheduledPayment[];
}

/** Loads what the disbursement form needs about a case; null if the case could not be loaded. */
export async function findDisbursementCase(id: number, me: Me): Promise<DisbursementCase | null> {
  const [details, calendar, benefits] = await Promise.all([
    apiServer<CaseDetails>(`/api/cases/${id}`),
    apiServer<Page<ScheduledPayment>>(`/api/cases/${id}/scheduled-payments?limit=100`),
    apiServer<{ data: Benefit[] }>(`/api/cases/${id}/benefits`),
  ]);
  if (!details.ok) return null;
  const payments = calendar.ok ? calendar.data.data : [];
  const others = details.data.people.filter(({ user_id, user_type }) => user_type !== 'admin' && user_id !== me.id);
  const self: Person[] =
    me.userType === 'admin' ? [] : [{ user_type: toApiUserType(me.userType), user_id: me.id, name: me.name }];
  return {
    id,
    name: details.data.name,
    people: [...self, ...others],
    categories: details.data.categories,
    benefits: benefits.ok ? benefits.data.data : [],
    planned: payments.filter(({ status, disbursement_id }) => status === 'planned' && disbursement_id === null),
  };
}
