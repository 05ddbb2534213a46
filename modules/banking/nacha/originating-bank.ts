import type { AccountKind } from './records.ts';

/** An account, as an entry names it. */
export interface AccountNumber {
  /** Nine digits with a right check digit. */
  routing_number: string;
  /** 1 to 17 letters, digits or hyphens. */
  account_number: string;
  account_kind: AccountKind;
}

/** What a file says of the bank that it is sent to (the ODFI), and of us as its customer. */
export interface OriginatingBank {
  routing_number: string;
  bank_name: string;
  /** Up to ten characters that the bank has given us: a routing number, or our company id. */
  immediate_origin: string;
  company_name: string;
  /** Up to ten characters: `1` and our tax number, or what the bank has given us. */
  company_id: string;
  /** Up to ten characters that stand on the receiver's statement. */
  entry_description: string;
  /** The account that a balanced file debits; null for an unbalanced file, which the bank offsets itself. */
  offset: AccountNumber | null;
}
