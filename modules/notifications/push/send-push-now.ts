import { createHash, randomUUID } from 'node:crypto';
import type { Database, Transaction } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { answerIdempotencyKey, withIdempotencyKey } from '@case-platform/lib/idempotency';
import { enqueue, RetryLaterError } from '@case-platform/lib/jobs';
import { currentRequest } from '@case-platform/lib/request-context';
import { query, sql } from '@case-platform/lib/sql';
import pLimit from 'p-limit';
import type { Recipient } from '../deliveries.ts';
import { deliverPush, type PushOutcome } from './deliver-push.ts';
import { type PushJob, queuePushes } from './queue-push.ts';
import { type PlatformPush, requireValidNotification } from './trigger-push.ts';
import type { PushSettings } from './vapid-keys.ts';

const AT_ONCE = 100;
/** If a push could not be sent now, or the process dies while sending, the worker sends it after this time. */
const RESCUE_AFTER_MS = 60_000;

interface PushContext {
  db: Database;
  push: PushSettings;
}

type PushNow = Omit<PlatformPush, 'key'> & { idempotencyKey?: string | undefined };

/**
 * Sends a push to all devices of its recipients at once, and counts the results (PUSH-8, PUSH-14). A device that fails does not
 * delay the others, and the worker tries it again unless it was refused. A repeated `Idempotency-Key` sends nothing and gives the
 * answer of the first call.
 * @throws {InvalidInputError} for a recipient who does not exist, or an invalid notification; nothing is sent then.
 * @throws as `withIdempotencyKey`.
 */
export function sendPushNow(context: PushContext, push: PushNow): Promise<Record<PushOutcome, number>> {
  const { event, recipients, notification, idempotencyKey } = push;
  requireValidNotification(notification);
  const hashRequest = () => createHash('sha256').update(JSON.stringify({ event, recipients, notification })).digest();
  return withIdempotencyKey(context.db, { userId: null, key: idempotencyKey, hashRequest }, async (claim) => {
    const jobs = await context.db.transaction((tx) => record(tx, push));
    const counts = { sent: 0, failed: 0, removed: 0 };
    const limit = pLimit(AT_ONCE);
    await limit.map(jobs, async (job) => {
      counts[await send(context, job)] += 1;
    });
    if (claim !== undefined) await answerIdempotencyKey(context.db, claim, counts);
    return counts;
  });
}

/** The keys of the deliveries name the call, so that a call whose process died sends nothing twice when it is repeated. */
async function record(tx: Transaction, { event, recipients, notification, idempotencyKey }: PushNow): Promise<PushJob[]> {
  const { url = '/', tag = randomUUID(), ...rest } = notification;
  const to = await findRecipients(tx, recipients);
  const key = `internal:${idempotencyKey ?? randomUUID()}`;
  const push = { key, event, to, request: currentRequest(), payload: { ...rest, data: { url }, tag } };
  return queuePushes(tx, [push], { runAt: new Date(Date.now() + RESCUE_AFTER_MS), jobKeyOf });
}

async function send({ db, push }: PushContext, job: PushJob): Promise<PushOutcome> {
  try {
    return await deliverPush({ db, push, lastAttempt: false }, job);
  } catch (error) {
    if (error instanceof RetryLaterError) {
      const runAt = new Date(Date.now() + Math.max(RESCUE_AFTER_MS, error.seconds * 1000));
      await enqueue(db, 'deliver_push', job, { jobKey: jobKeyOf(job), runAt });
    }
    return 'failed';
  }
}

function jobKeyOf({ delivery_id }: PushJob): string {
  return `push:${delivery_id}`;
}

async function findRecipients(tx: Transaction, recipients: PlatformPush['recipients']): Promise<Recipient[]> {
  const idByKey = new Map(recipients.map(({ user_id, user_type }) => [`${user_id}:${user_type}`, user_id]));
  const people = await query<Recipient>(
    tx,
    sql`select id, user_type, email_address from user_account where id = any(${[...idByKey.values()]}::bigint[])
           and status = 'active'`,
  );
  const matching = people.filter((person) => idByKey.has(`${person.id}:${person.user_type}`));
  if (matching.length !== idByKey.size) throw invalid('recipients', 'One of the recipients does not exist.');
  return matching;
}
