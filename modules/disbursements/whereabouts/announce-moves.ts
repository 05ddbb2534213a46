import { randomUUID } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import type { MovedBecause } from '@case-platform/words/whereabouts';

/** A move of the day on which a payment arrives; days are `YYYY-MM-DD`, null while none is known. */
export interface MovedDate {
  disbursement_id: number;
  from: string | null;
  to: string | null;
  because: MovedBecause;
}

export interface MovesNews {
  /** Names this announcement, so that a job that runs again sends nothing twice. */
  notice: string;
  moves: readonly MovedDate[];
}

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** One mail to each person concerned that lists all their payments with a new arrival day (WHERE-3). */
    mail_moved_dates: MovesNews;
    /** One push to the same people. */
    push_moved_dates: MovesNews;
  }
}

/**
 * Announces the days that one cause moved, in the transaction that moved them (WHERE-3).
 * @param runAt when people are notified; at once if unset.
 */
export async function announceMoves(tx: Transaction, moves: readonly MovedDate[], runAt: Date | undefined): Promise<void> {
  if (moves.length === 0) return;
  const news = { notice: randomUUID(), moves };
  const options = runAt === undefined ? {} : { runAt };
  await enqueue(tx, 'mail_moved_dates', news, options);
  await enqueue(tx, 'push_moved_dates', news, options);
}
