import 'client-only';
import { apiBrowser } from '../../api/api-browser.ts';
import { ApiError, errorMessage } from '../../api/api-error.ts';
import type { Disbursement } from '../../api/api-shapes.ts';

/** The outcome for each payment of an approval of several. */
export interface ApprovalResult {
  approved: Disbursement[];
  /** Not approved, each with the reason for people. */
  refused: { payment: Disbursement; why: string }[];
}

/** After these answers the next call would fail as well: no connection, no session, too many calls. */
const ENDS_ALL = [0, 401, 429];

/**
 * Approves payments one after the other for the account that the reader saw, as they were shown (BANK-9, REQUEST-9). One that is
 * refused does not stop the others.
 * @param onStep gets the number of payments that were tried.
 */
export async function approveTogether(
  payments: readonly Disbursement[],
  onStep: (tried: number) => void,
): Promise<ApprovalResult> {
  const result: ApprovalResult = { approved: [], refused: [] };
  for (const [index, payment] of payments.entries()) {
    const { id, version, payee_account } = payment;
    const body = { version, over_by_cents: 0, account_seen: payee_account?.version };
    try {
      await apiBrowser(`/api/disbursements/${id}/approve`, { method: 'POST', body });
      result.approved.push(payment);
    } catch (error) {
      result.refused.push({ payment, why: errorMessage(error) });
      if (error instanceof ApiError && ENDS_ALL.includes(error.status)) {
        const rest = payments.slice(index + 1);
        result.refused.push(...rest.map((one) => ({ payment: one, why: 'It was not sent.' })));
        break;
      }
    }
    onStep(index + 1);
  }
  return result;
}
