import type { Executor, Transaction } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import { type RequestContext, runInRequest } from '@case-platform/lib/request-context';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { findMailTurn, queueEmail } from '@case-platform/modules/notifications';
import { type Announced, listAnnounced, type NotifyContext, type Person } from './message-recipients.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Emails one person what they have not read of a chain since the last mail about it. */
    email_gathered: { chain_id: number; user_id: number };
  }
}

/** Messages of one conversation to one person within these minutes are gathered into one mail (EMAIL-3). */
const GATHERED_MINUTES = 10;

/** Messages of one conversation to one of their recipients, in the order of their ids. */
interface Thread {
  chain_id: number;
  person: Person;
  messages: Announced[];
}

/**
 * Sends the "New message" email to every recipient of these messages, never to the sender (EMAIL-2). The first message of a
 * chain is mailed at once, later ones are gathered, and all are gathered for people who have reached their hourly limit of mails.
 * The mail says who wrote and where to read it, but not the text, because other people may see a mailbox.
 * @param requests the request that sent each message, by its id.
 */
export async function emailMessages(
  context: NotifyContext,
  tx: Transaction,
  messages: readonly Announced[],
  requests: ReadonlyMap<number, RequestContext | undefined>,
): Promise<void> {
  const addressed = messages.flatMap((message) => message.recipients.map((person) => ({ message, person })));
  const threads = [...Map.groupBy(addressed, ({ message, person }) => `${message.chain_id}:${person.id}`).values()].map(
    ([first, ...more]): Thread => {
      const { message, person } = first as (typeof addressed)[number];
      return { chain_id: message.chain_id, person, messages: [message, ...more.map((one) => one.message)] };
    },
  );
  for (const { chain_id, person, messages } of await lockThreads(tx, threads))
    for (const message of messages)
      await runInRequest(requests.get(message.id), () => emailOrGather(context, tx, message, person, chain_id));
}

async function emailOrGather(
  context: NotifyContext,
  tx: Transaction,
  message: Announced,
  person: Person,
  chainId: number,
): Promise<void> {
  const last = await findLastMail(tx, chainId, person.id);
  if (last !== undefined && message.id <= last.up_to_message_id) return;
  const waitsUntil = last === undefined || last.is_over ? null : last.next_at;
  const turn = waitsUntil ?? (await findMailTurn(tx, person.email_address, context.mailsPerHour));
  if (turn === null) await mail(context, tx, message, person);
  else await gather(tx, message, person.id, turn);
}

/**
 * Locks these conversations' mails to these people, in a fixed order, so that two workers never wait for each other.
 * @returns those for which something has to be done: not those that already wait for a later mail.
 */
async function lockThreads(tx: Transaction, threads: readonly Thread[]): Promise<Thread[]> {
  const chainIds = threads.map(({ chain_id }) => chain_id);
  const userIds = threads.map(({ person }) => person.id);
  await query(
    tx,
    sql`select pg_advisory_xact_lock(lock) from (
          select ${threadLock(sql`chain_id`, sql`user_id`)} as lock
            from unnest(${chainIds}::bigint[], ${userIds}::bigint[]) thread (chain_id, user_id) order by 1) locks`,
  );
  const waiting = await query<{ place: number }>(
    tx,
    sql`select thread.place::int
          from unnest(${chainIds}::bigint[], ${userIds}::bigint[]) with ordinality thread (chain_id, user_id, place)
          join message_mail l using (chain_id, user_id)
          join graphile_worker._private_jobs j on j.key = 'gathered:' || chain_id || ':' || user_id
         where l.mailed_at > now() - make_interval(mins => ${GATHERED_MINUTES}) and j.is_available and j.attempts = 0`,
  );
  const places = new Set(waiting.map(({ place }) => place - 1));
  return threads.filter((_, place) => !places.has(place));
}

function threadLock(chainId: Sql, userId: Sql): Sql {
  return sql`hashtextextended('message_mail:' || ${chainId} || ':' || ${userId}, 0)`;
}

/** Mails the gathered messages that were not read or retracted meanwhile and are still for this person. */
export async function emailGathered(
  context: NotifyContext,
  { chain_id, user_id }: { chain_id: number; user_id: number },
): Promise<void> {
  const newest = (await listUnread(context.db, chain_id, user_id)).at(-1);
  const [message] = newest === undefined ? [] : await listAnnounced(context.db, [newest.id]);
  const person = message?.recipients.find(({ id }) => id === user_id);
  if (message === undefined || person === undefined) return;
  await context.db.transaction(async (tx) => {
    await query(tx, sql`select pg_advisory_xact_lock(${threadLock(sql`${chain_id}::bigint`, sql`${user_id}::bigint`)})`);
    const last = await findLastMail(tx, chain_id, user_id);
    if (last !== undefined && message.id <= last.up_to_message_id) return;
    const turn = await findMailTurn(tx, person.email_address, context.mailsPerHour);
    if (turn === null) await mail(context, tx, message, person);
    else await gather(tx, message, user_id, turn);
  });
}

interface LastMail {
  up_to_message_id: number;
  next_at: Date;
  /** Whether the time for gathering has passed. */
  is_over: boolean;
}

/** The caller holds the lock of this thread, so that two messages at the same time do not cause two mails. */
async function findLastMail(tx: Transaction, chainId: number, userId: number): Promise<LastMail | undefined> {
  const [last] = await query<LastMail>(
    tx,
    sql`select up_to_message_id, mailed_at + make_interval(mins => ${GATHERED_MINUTES}) as next_at,
            mailed_at <= now() - make_interval(mins => ${GATHERED_MINUTES}) as is_over
       from message_mail where chain_id = ${chainId} and user_id = ${userId}`,
  );
  return last;
}

/** Queues one later mail for this message and all that follow in its chain, unless such a mail is queued already. */
async function gather(tx: Transaction, message: Announced, user_id: number, runAt: Date): Promise<void> {
  const { id, chain_id } = message;
  // Nothing of the chain was mailed yet, so the later mail begins with this message.
  await query(
    tx,
    sql`insert into message_mail (chain_id, user_id, mailed_at, up_to_message_id)
        values (${chain_id}, ${user_id}, to_timestamp(0), ${id - 1}) on conflict do nothing`,
  );
  const jobKey = `gathered:${chain_id}:${user_id}`;
  await enqueue(tx, 'email_gathered', { chain_id, user_id }, { jobKey, keepsRunAt: true, runAt });
}

/** Sends one mail about this message and all others of its chain since the last mail. */
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
    // Mail programs group mails into a thread only if their subjects are the same.
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

/** Finds messages of a chain that a person has not read (by their own mark, or the admins') and was not mailed about. */
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
