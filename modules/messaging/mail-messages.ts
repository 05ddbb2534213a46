import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { findMailTurn, queueEmail } from '@case-platform/modules/notifications';
import { type Announced, findAnnounced, listRecipientsOf, type NotifyContext, type Person } from './message-recipients.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Emails everyone whom a message is for, or has it gathered with more of the same chain. */
    email_message: { message_id: number };
    /** Emails one person what they have not read of a chain since the last mail about it. */
    email_gathered: { chain_id: number; user_id: number };
  }
}

/** More of one conversation to one person within these minutes is gathered into one mail (EMAIL-3). */
const GATHERED_MINUTES = 10;

/**
 * 'New message' email, to every recipient of the message, never to its sender (EMAIL-2): the first of a chain at
 * once, more of it gathered, and all of it while somebody has had as many mails as an hour may bring. The mail says who wrote
 * and where to read it, not what: mailboxes are read over shoulders.
 */
export async function emailMessage(context: NotifyContext, { message_id }: { message_id: number }): Promise<void> {
  const { db, mailsPerHour } = context;
  const message = await findAnnounced(db, message_id);
  if (message === undefined) return;
  for (const person of await listRecipientsOf(db, message)) {
    await db.transaction(async (tx) => {
      const last = await lockLastMail(tx, message.chain_id, person.id);
      if (last !== undefined && message.id <= last.up_to_message_id) return;
      const waitsUntil = last === undefined || last.is_over ? null : last.next_at;
      const turn = waitsUntil ?? (await findMailTurn(tx, person.email_address, mailsPerHour));
      if (turn === null) await mail(context, tx, message, person);
      else await gather(tx, message, person.id, turn);
    });
  }
}

/** Mails what was gathered, unless it was read meanwhile, taken back, or is no longer for this person. */
export async function emailGathered(
  context: NotifyContext,
  { chain_id, user_id }: { chain_id: number; user_id: number },
): Promise<void> {
  const newest = await findNewestUnread(context.db, chain_id, user_id);
  const message = newest === undefined ? undefined : await findAnnounced(context.db, newest);
  if (message === undefined) return;
  const person = (await listRecipientsOf(context.db, message)).find(({ id }) => id === user_id);
  if (person === undefined) return;
  await context.db.transaction(async (tx) => {
    const last = await lockLastMail(tx, chain_id, user_id);
    if (last !== undefined && message.id <= last.up_to_message_id) return;
    const turn = await findMailTurn(tx, person.email_address, context.mailsPerHour);
    if (turn === null) await mail(context, tx, message, person);
    else await gather(tx, message, user_id, turn);
  });
}

interface LastMail {
  up_to_message_id: number;
  next_at: Date;
  /** The time in which more is gathered has passed. */
  is_over: boolean;
}

/** Held until the end of the transaction: two messages at once do not make two mails. */
async function lockLastMail(tx: Transaction, chainId: number, userId: number): Promise<LastMail | undefined> {
  await query(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`message_mail:${chainId}:${userId}`}, 0))`);
  const [last] = await query<LastMail>(
    tx,
    sql`select up_to_message_id, mailed_at + make_interval(mins => ${GATHERED_MINUTES}) as next_at,
            mailed_at <= now() - make_interval(mins => ${GATHERED_MINUTES}) as is_over
       from message_mail where chain_id = ${chainId} and user_id = ${userId}`,
  );
  return last;
}

/** Has this message wait for one mail with whatever else of its chain comes until then; a mail that waits already stays. */
async function gather(tx: Transaction, message: Announced, user_id: number, runAt: Date): Promise<void> {
  const { id, chain_id } = message;
  // Nothing of the chain was mailed yet: what waits begins with this message.
  await query(
    tx,
    sql`insert into message_mail (chain_id, user_id, mailed_at, up_to_message_id)
        values (${chain_id}, ${user_id}, to_timestamp(0), ${id - 1}) on conflict do nothing`,
  );
  const jobKey = `gathered:${chain_id}:${user_id}`;
  await enqueue(tx, 'email_gathered', { chain_id, user_id }, { jobKey, keepsRunAt: true, runAt });
}

/** One mail about this message and whatever else of its chain waits since the last one. */
async function mail({ webUrl, adminUrl }: NotifyContext, tx: Transaction, message: Announced, person: Person): Promise<void> {
  const { chain_id } = message;
  const waiting = (await listUnread(tx, chain_id, person.id)).filter(({ id }) => id !== message.id);
  const count = waiting.length + 1;
  const isOneWriter = waiting.every(({ from_id }) => from_id === message.from_id);
  const base = person.user_type === 'admin' ? adminUrl : webUrl;
  await queueEmail(tx, {
    key: `message:${message.id}`,
    event: 'new_message',
    to: person,
    // The same in every mail of a chain: a mailbox makes one thread only of mails whose subject is one.
    subject: message.subject === '' ? 'New in your conversation' : `New in your conversation “${message.subject}”`,
    thread: `chain-${chain_id}`,
    message_id: message.id,
    template_name: 'message_alert.html',
    template_context: {
      first_name: person.first_name,
      from_name: isOneWriter ? message.from_name : '',
      subject: message.subject,
      count,
      url: `${base}/messages/${chain_id}`,
    },
  });
  const up_to = Math.max(message.id, ...waiting.map(({ id }) => id));
  await query(
    tx,
    sql`insert into message_mail (chain_id, user_id, mailed_at, up_to_message_id)
        values (${chain_id}, ${person.id}, now(), ${up_to})
        on conflict (chain_id, user_id) do update
           set mailed_at = excluded.mailed_at,
               up_to_message_id = greatest(message_mail.up_to_message_id, excluded.up_to_message_id)`,
  );
}

/** What somebody has not read of a chain and was not mailed about: by their own mark, or the admins'. */
function listUnread(db: Executor, chainId: number, userId: number): Promise<{ id: number; from_id: number }[]> {
  return query<{ id: number; from_id: number }>(
    db,
    sql`select m.id, m.from_id
       from message m join user_account u on u.id = ${userId}
       left join message_recipient r on r.message_id = m.id and r.user_id = u.id
      where m.chain_id = ${chainId} and m.from_id <> u.id and m.retracted_at is null
        and case when u.user_type = 'admin' then m.to_admin and m.admin_viewed is null
                 else r.message_id is not null and r.viewed is null end
        and m.id > coalesce((select up_to_message_id from message_mail where chain_id = ${chainId} and user_id = ${userId}),
                            (select max(id) from message where chain_id = ${chainId}))
      order by m.id`,
  );
}

async function findNewestUnread(db: Database, chainId: number, userId: number): Promise<number | undefined> {
  return (await listUnread(db, chainId, userId)).at(-1)?.id;
}
