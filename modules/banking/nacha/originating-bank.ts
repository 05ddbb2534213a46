import type { AccountKind } from './records.ts';

/** A bank account as an entry contains it. */
export interface AccountNumber {
  /** Nine digits with a valid check digit. */
  routing_number: string;
  /** 1 to 17 letters, digits, or hyphens. */
  account_number: string;
  account_kind: AccountKind;
}

/** The bank that a file is sent to (the ODFI), and our company as its customer. */
export interface OriginatingBank {
  routing_number: string;
  bank_name: string;
  /** Up to ten characters assigned by the bank: a routing number, or our company ID. */
  immediate_origin: string;
  company_name: string;
  /** Up to ten characters: `1` and our tax number, or an ID assigned by the bank. */
  company_id: string;
  /** Up to ten characters, shown on the receiver's statement. */
  entry_description: string;
  /** The account that a balanced file debits; null for an unbalanced file, which the bank offsets itself. */
  offset: AccountNumber | null;
}
