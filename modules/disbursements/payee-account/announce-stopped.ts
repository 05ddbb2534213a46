import { randomUUID } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import type { MovedDate } from '../whereabouts/announce-moves.ts';

/** A payment that a change of the payee's bank account stopped, as it was at that moment. */
export interface StoppedPayment {
  disbursement_id: number;
  amount_cents: number;
  category: string;
  /**
   * `submitted`: it was sent for approval again. `draft`: its maker has to send it again. The other two are still in a file that
   * will not be sent, and become one or the other once that file is cancelled.
   */
  next: 'submitted' | 'draft' | 'file_then_submitted' | 'file_then_draft';
  maker_id: number;
  /** The person who approved it for the previous account; null for none. */
  approved_by: number | null;
  /** The person who has to approve it now; null for staff with `approve_drs`, and if it was not sent. */
  approver_id: number | null;
}

export interface StoppedNews {
  /** Names this announcement, so that a job that runs again sends nothing twice. */
  notice: string;
  payee_id: number;
  /** The time of the change, ISO 8601. */
  changed_at: string;
  payments: StoppedPayment[];
  /** Other payments whose arrival day the same cause moved. */
  moves: readonly MovedDate[];
}

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** One mail to each person concerned that lists all their payments (BANK-11), also those that arrive on another day. */
    mail_stopped_payments: StoppedNews;
    /** One push to the same people. */
    push_stopped_payments: StoppedNews;
  }
}

/** Announces the payments to one payee that were stopped, in the transaction that stopped them (BANK-11). */
export async function announceStopped(tx: Transaction, stopped: Omit<StoppedNews, 'notice'>): Promise<void> {
  const news = { ...stopped, notice: randomUUID() };
  await enqueue(tx, 'mail_stopped_payments', news);
  await enqueue(tx, 'push_stopped_payments', news);
}
