import type { PlannedPayment } from './journey.ts';

/** The state that a request reaches; `retried` and `paid_again` came back from the bank first. */
export type RequestEnd =
  | 'draft'
  | 'submitted'
  | 'denied'
  | 'cancelled'
  | 'approved'
  | 'batched'
  | 'paid'
  | 'returned'
  | 'ended'
  | 'retried'
  | 'paid_again';

/** A request of the demo, with people by name and times in days before now. */
export interface DemoRequest {
  /** The number of the case, starting at 1. */
  of: number;
  end: RequestEnd;
  category: string;
  description: string;
  amount_cents: number;
  written: number;
  by: string;
  payee: string;
  approver: string;
  reason?: string;
  /** True if it was submitted, changed, and submitted again. */
  changed?: boolean;
  /** The kind of receipt: a picture of a cash register receipt, or a bill. */
  receipt?: 'picture' | 'bill';
  /** The scheduled payment that it pays. */
  pays?: PlannedPayment;
}

/** Approvers decide after a little more than a day. */
export const DECIDED_AFTER = 1.3;
