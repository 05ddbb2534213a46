/** What moves a case's cash: into it, or out of it. */
export const CASH_KINDS = ['deposit', 'refund', 'payment', 'return'] as const;
export type CashKind = (typeof CASH_KINDS)[number];

const KINDS: Record<CashKind, string> = {
  deposit: 'Deposit',
  refund: 'Refund',
  payment: 'Payment',
  return: 'Returned payment',
};

/** What a movement of a case's cash is called. */
export function cashKindInWords(kind: CashKind): string {
  return KINDS[kind];
}
