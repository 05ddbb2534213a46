import 'client-only';
import { readDollars } from '@case-platform/words/money';
import { apiBrowser } from '../../api/api-browser.ts';
import type { Disbursement } from '../../api/api-shapes.ts';

export interface SaveTarget {
  caseId: number;
  /** The draft to change; undefined for a new request. */
  draft?: Pick<Disbursement, 'id'>;
  scheduledPaymentId?: number | undefined;
  /** Returns the idempotency key for saving this content. */
  attemptKey: (content: string) => string;
}

/** The fields as they were typed. */
export interface DisbursementFields {
  amount: string;
  category: string;
  description: string;
  /** `user_type:user_id`. */
  payee: string;
}

/** Saves a draft. A second attempt with the same content creates no second disbursement (IDEMPOTENCY-1). */
export function saveDisbursement(fields: DisbursementFields, target: SaveTarget): Promise<Disbursement> {
  const { caseId, draft, scheduledPaymentId, attemptKey } = target;
  if (draft !== undefined) {
    return apiBrowser<Disbursement>(`/api/disbursements/${draft.id}`, { method: 'PATCH', body: bodyOf(fields) });
  }
  const planned = scheduledPaymentId === undefined ? {} : { scheduled_payment_id: scheduledPaymentId };
  const body = { ...bodyOf(fields), ...planned };
  const idempotencyKey = attemptKey(JSON.stringify([caseId, body]));
  return apiBrowser<Disbursement>(`/api/cases/${caseId}/disbursements`, { method: 'POST', body, idempotencyKey });
}

function bodyOf({ amount, category, description, payee }: DisbursementFields) {
  const [user_type, user_id] = payee.split(':');
  return { amount_cents: readDollars(amount), category, description, payee: { user_type, user_id: Number(user_id) } };
}
