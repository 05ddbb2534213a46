import type { Database, Transaction } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { isSecurityEvent, SECURITY_EVENTS } from '../events.ts';
import type { EmailJob } from './queue-email.ts';

interface TurnContext {
  db: Database;
  /** Mails to one address per hour (EMAIL-15); without a limit no mail waits. */
  mailsPerHour?: number | undefined;
}

/**
 * True if a mail can be sent now. A mail above the hourly limit of its address is queued again for its turn, in order (EMAIL-15).
 * Mails that protect an account never wait and are not counted (NOTIFY-8).
 */
export async function claimMailTurn({ db, mailsPerHour }: TurnContext, job: EmailJob): Promise<boolean> {
  if (mailsPerHour === undefined) return true;
  return db.transaction(async (tx) => {
    const [mail] = await query<{ event: string; recipient: string; due_at: Date | null; is_due: boolean }>(
      tx,
      sql`select event, recipient, due_at, coalesce(due_at <= now(), false) as is_due
            from delivery where id = ${job.delivery_id} and state = 'queued' for update`,
    );
    if (mail === undefined || isSecurityEvent(mail.event) || mail.is_due) return true;
    const due = mail.due_at ?? (await findTurn(tx, mail.recipient, mailsPerHour, sql`due_at is not null`));
    await query(tx, sql`update delivery set due_at = coalesce(${due}, now()) where id = ${job.delivery_id}`);
    if (due !== null) await enqueue(tx, 'deliver_email', job, { jobKey: `mail:${job.delivery_id}`, runAt: due });
    return due === null;
  });
}

/**
 * The time when the next mail can go to this address, or null for now. Queued mails without a turn count too. The lock lasts
 * until the end of the transaction, so that two mails never get the same turn.
 */
export function findMailTurn(tx: Transaction, recipient: string, mailsPerHour?: number): Promise<Date | null> {
  return mailsPerHour === undefined ? Promise.resolve(null) : findTurn(tx, recipient, mailsPerHour, sql`true`);
}

/** The turn is an hour after the mail that fills the limit. */
async function findTurn(tx: Transaction, recipient: string, most: number, counted: Sql): Promise<Date | null> {
  await query(tx, sql`select pg_advisory_xact_lock(hashtextextended('mails:' || lower(${recipient}), 0))`);
  const [full] = await query<{ free_at: Date }>(
    tx,
    sql`select coalesce(due_at, created_at) + interval '1 hour' as free_at
          from delivery
         where channel = 'email' and lower(recipient) = lower(${recipient}) and ${counted}
           and coalesce(due_at, created_at) > now() - interval '1 hour'
           and state <> 'suppressed' and event <> all(${SECURITY_EVENTS})
         order by coalesce(due_at, created_at) desc
        offset ${most - 1} limit 1`,
  );
  return full?.free_at ?? null;
}
