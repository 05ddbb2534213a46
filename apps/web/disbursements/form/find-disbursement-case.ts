import { toApiUserType } from '@case-platform/words/user-types';
import 'server-only';
import type { Benefit, CaseDetails, Page, Person, ScheduledPayment } from '../../api/api-shapes.ts';
import { apiServer } from '../../session/api-server.ts';
import type { Me } from '../../session/session-shapes.ts';

export interface DisbursementCase {
  id: number;
  name: string;
  /** Who may be paid, the reader first. */
  people: Person[];
  /** The categories that its requests can have. */
  categories: string[];
  /** What the contract allows, with what is left. */
  benefits: Benefit[];
  /** Planned payments that nobody has requested yet. */
  planned: ScheduledPayment[];
}

/** What the disbursement form needs to know about a case; null if it could not be loaded. */
export async function findDisbursementCase(id: number, me: Me): Promise<DisbursementCase | null> {
  const [found, calendar, benefits] = await Promise.all([
    apiServer<CaseDetails>(`/api/cases/${id}`),
    apiServer<Page<ScheduledPayment>>(`/api/cases/${id}/scheduled-payments?limit=100`),
    apiServer<{ data: Benefit[] }>(`/api/cases/${id}/benefits`),
  ]);
  if (!found.ok) return null;
  const payments = calendar.ok ? calendar.data.data : [];
  const others = found.data.people.filter(({ user_id, user_type }) => user_type !== 'admin' && user_id !== me.id);
  const self: Person[] =
    me.userType === 'admin' ? [] : [{ user_type: toApiUserType(me.userType), user_id: me.id, name: me.name }];
  return {
    id,
    name: found.data.name,
    people: [...self, ...others],
    categories: found.data.categories,
    benefits: benefits.ok ? benefits.data.data : [],
    planned: payments.filter(({ status, disbursement_id }) => status === 'planned' && disbursement_id === null),
  };
}
