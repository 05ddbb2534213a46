import type { Disbursement, SeenDisbursement } from '../../api/api-shapes.ts';
import { isReadable } from '../disbursement-words.ts';

/** The requests of one payee that wait for the reader and were approved for the payee's previous account (BANK-9). */
export interface AccountChange {
  payee: Disbursement['payee'];
  account: NonNullable<Disbursement['payee_account']>;
  payments: Disbursement[];
  total_cents: number;
  /** Those of the payments that can be approved together, because nothing stops them and they need no reason. */
  together: Disbursement[];
  /** The reader's own alarm about the payee, or one that staff may see. */
  alarm: Disbursement['alarm'];
}

/** Groups the requests that wait for the reader by payee, in the order of their first request. */
export function groupAccountChanges(waiting: readonly SeenDisbursement[]): AccountChange[] {
  const changed = waiting.filter(isReadable).filter(isForChangedAccount);
  return [...Map.groupBy(changed, ({ payee }) => payee.user_id).values()].flatMap((payments) => {
    const [first] = payments;
    if (first?.payee_account == null) return [];
    return {
      payee: first.payee,
      account: first.payee_account,
      payments,
      total_cents: totalOf(payments),
      together: payments.filter(isSimple),
      alarm: first.alarm,
    };
  });
}

/** True if the request waits for an approval for another account than it was approved for, so that a card shows it. */
export function isForChangedAccount({ status, payee_account }: Pick<Disbursement, 'status' | 'payee_account'>): boolean {
  return status === 'submitted' && payee_account?.changed_since_approval === true;
}

function isSimple({ not_payable, covered, benefit }: Disbursement): boolean {
  return not_payable === null && covered !== false && (benefit?.over_by_cents ?? 0) === 0;
}

export function totalOf(payments: readonly Pick<Disbursement, 'amount_cents'>[]): number {
  return payments.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
}
