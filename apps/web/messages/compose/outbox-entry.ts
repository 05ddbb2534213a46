import { ApiError, endsSession, errorMessage } from '../../api/api-error.ts';
import type { Message } from '../../api/api-shapes.ts';
import type { Outgoing } from '../../drafts/drafts.ts';

/** A message of this page that the chain does not show yet. */
export interface OutboxEntry {
  /**
   * The idempotency key of every attempt, which the API stores with the message as `client_key`, so that the message is stored
   * once however often it is sent (MESSAGE-5).
   */
  key: string;
  text: string;
  files: File[];
  fileNames: string[];
  startedAt: string;
  /** A `waiting` message is sent when the network is back, or at `goesAt`. */
  state: 'sending' | 'waiting' | 'failed';
  /** From 0 to 1. */
  progress: number;
  /** The time of the next attempt after a 429, in milliseconds since the epoch; null if it waits for the network. */
  goesAt: number | null;
  /** The reason of the failure, in words; null while it is being sent and after a cancellation. */
  error: string | null;
  /** True if its files were lost when the page closed, so that it can be edited but not retried. */
  filesLost: boolean;
}

/** The state of a message that waits for the network (`goesAt` is null) or for a time. */
export type Waiting = { state: 'waiting' } & Pick<OutboxEntry, 'goesAt'>;

/** The state of a message whose attempt begins. */
export const BEGUN = { state: 'sending', progress: 0, goesAt: null, error: null } as const;
/** The wait after a 429 without `Retry-After`. */
const DEFAULT_WAIT_S = 60;
/** An older message is not sent without its writer's decision, because its text may have become wrong ("tomorrow"). */
const GOES_ON_WITHIN_MS = 24 * 60 * 60_000;

export function newEntry(text: string, files: File[]): OutboxEntry {
  return {
    key: crypto.randomUUID(),
    text: text.trim(),
    files,
    fileNames: files.map((file) => file.name),
    startedAt: new Date().toISOString(),
    ...BEGUN,
    filesLost: false,
  };
}

/**
 * The entry for a message that was stored when its page closed: it is sent, or has failed if only its writer can decide. `now`
 * is in milliseconds since the epoch.
 */
export function keptEntry({ underWay, ...stored }: Outgoing, now: number): OutboxEntry {
  const filesLost = stored.fileNames.length > 0;
  const entry = { ...stored, ...BEGUN, files: [], filesLost };
  if (underWay && !filesLost && now - Date.parse(stored.startedAt) < GOES_ON_WITHIN_MS) return entry;
  const error = 'Not sent: the page was closed or you were signed out before it could go.';
  return { ...entry, state: 'failed', error };
}

/** Filters out entries that the chain already shows, because a live event may arrive before the answer to the attempt. */
export function notArrived(entries: readonly OutboxEntry[], messages: readonly Message[]): OutboxEntry[] {
  return entries.filter((entry) => !hasArrived(entry, messages));
}

/** True if the message is in the chain, even if the answer to its attempt was lost. */
export function hasArrived({ key }: OutboxEntry, messages: readonly Message[]): boolean {
  return messages.some((message) => message.client_key === key);
}

/** Returns how long to wait before the next attempt, or null if the writer must decide. Only offline and 429 wait (OUTBOX-2). */
export function waitsFor(error: unknown, now: number): Waiting | null {
  if (!(error instanceof ApiError)) return null;
  if (error.status === 0 && !navigator.onLine) return { state: 'waiting', goesAt: null };
  if (error.status !== 429) return null;
  return { state: 'waiting', goesAt: now + (error.retryAfter ?? DEFAULT_WAIT_S) * 1000 };
}

/** True if a message was rejected because the session ended. It is sent when its writer signs in again. */
export function endedWithSession(error: unknown): boolean {
  return error instanceof ApiError && (endsSession(error) || error.code === 'other_reader');
}

/** Returns null for a cancellation, which is not a failure. */
export function failureWords(error: unknown): string | null {
  return error instanceof DOMException && error.name === 'AbortError' ? null : errorMessage(error);
}
