import type { Executor } from '@case-platform/lib/database';
import { WaitError } from '@case-platform/lib/jobs';
import { currentRequest } from '@case-platform/lib/request-context';
import { query, sql } from '@case-platform/lib/sql';
import { isTemporary, parseRetryAfter } from '@case-platform/words/retry-after';
import { toApiUserType } from '@case-platform/words/user-types';
import { below } from '../provider-answers.ts';
import type { PlatformPush } from './trigger-push.ts';

/** How the worker reaches the API. */
export interface InternalApi {
  /** The base address, `API_INTERNAL_URL`. */
  url: string;
  masterApiKey: string;
  /** Proves that the request id comes from us (lib/http/forwarding.ts). */
  forwardingSecret?: string | undefined;
}

const PATH = '/internal/notification/send';
/** The API sends to all devices before it answers. */
const ANSWER_WITHIN_MS = 60_000;
const WAIT_SECONDS = 10;
const LONGEST_WAIT_S = 3600;

/**
 * Sends a platform event to its recipients' devices through the API, with the master key (NOTIFY-4). The push's key is the
 * `Idempotency-Key`, so a job that runs again sends nothing twice. Recipients without a device, and those who were deactivated,
 * are left out; without any recipient nothing is called.
 * @throws {WaitError} while the API is down, so that the job waits.
 */
export async function postPlatformPush(context: { db: Executor; internalApi: InternalApi }, push: PlatformPush): Promise<void> {
  const { event, notification, key } = push;
  const recipients = await listReachable(context.db, push);
  if (recipients.length === 0) return;
  const { internalApi } = context;
  const response = await fetch(below(internalApi.url, PATH), {
    method: 'POST',
    headers: { ...headersOf(internalApi), 'idempotency-key': key },
    body: JSON.stringify({ event, recipients, ...notification }),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }).catch((error: Error) => {
    throw new WaitError(`The API could not be reached (${codeOf(error)}).`, WAIT_SECONDS);
  });
  const answer = (await response.json().catch(() => ({}))) as { code?: string };
  if (response.ok || answer.code === 'idempotency_key_reused') return;
  const { status } = response;
  // 409 means that the first call with this key is still running, and its answer will come.
  if (isTemporary(status) || status === 409) {
    const seconds = parseRetryAfter(response.headers.get('retry-after'), Date.now()) ?? WAIT_SECONDS;
    throw new WaitError(`The API answered ${status}.`, Math.min(seconds, LONGEST_WAIT_S));
  }
  const hint = status === 404 ? ' API_INTERNAL_URL must lead to the API, and not to a proxy that closes /internal.' : '';
  throw new Error(`POST ${PATH} answered ${status}.${hint}`);
}

function headersOf({ masterApiKey, forwardingSecret }: InternalApi): Record<string, string> {
  const { request_id, traceparent } = currentRequest() ?? {};
  return {
    'content-type': 'application/json',
    'x-master-api-key': masterApiKey,
    ...(forwardingSecret === undefined ? {} : { 'x-forwarding-secret': forwardingSecret }),
    ...(request_id === undefined ? {} : { 'x-request-id': request_id }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** The active recipients who have a device. The endpoint would reject a push that also names someone who was deactivated. */
async function listReachable(db: Executor, { recipients }: PlatformPush) {
  const ids = recipients.map(({ user_id }) => user_id);
  const rows = await query<{ id: number }>(
    db,
    sql`select u.id from user_account u where u.id = any(${ids}::bigint[]) and u.status = 'active'
           and exists (select from push_subscription s where s.user_id = u.id and s.user_type = u.user_type)`,
  );
  const reachable = new Set(rows.map(({ id }) => id));
  return recipients
    .filter(({ user_id }) => reachable.has(user_id))
    .map(({ user_id, user_type }) => ({ user_id, user_type: toApiUserType(user_type) }));
}

/** A word for logs, without the address. */
function codeOf(error: Error): string {
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
