import type { PlannedPayment } from './journey.ts';

/** How far a request has come; `retried` and `paid_again` came back from the bank before. */
export type RequestEnd =
  | 'draft'
  | 'submitted'
  | 'denied'
  | 'cancelled'
  | 'approved'
  | 'batched'
  | 'paid'
  | 'returned'
  | 'retried'
  | 'paid_again';

/** A request of the demo; people by name, moments in days before now. */
export interface DemoRequest {
  /** The number of the case. */
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
  /** Sent, taken back to change it, and sent once more. */
  changed?: boolean;
  /** A receipt lies with it: a picture of the till's paper, or a bill. */
  receipt?: 'picture' | 'bill';
  /** The line of the calendar that it pays. */
  pays?: PlannedPayment;
}

/** Who decides takes a day and a bit. */
export const DECIDED_AFTER = 1.3;
