import { ApiError, endsSession, errorMessage } from '../../api/api-error.ts';
import type { Message } from '../../api/api-shapes.ts';
import type { Outgoing } from './drafts.ts';

/** A message that is on its way, or did not get there. */
export interface OutboxEntry {
  /**
   * Identifies the message from the tap to the row: the idempotency key of every attempt, stored with the message as
   * `client_key`. However often it is sent, the API stores it once.
   */
  key: string;
  text: string;
  files: File[];
  fileNames: string[];
  startedAt: string;
  /** `waiting` is sent as soon as the network is back, or at `goesAt`. */
  state: 'sending' | 'waiting' | 'failed';
  /** From 0 to 1. */
  progress: number;
  /** When it is retried after the rate limit (429), in milliseconds since the epoch; null if unknown. */
  goesAt: number | null;
  /** Why it failed; null while it is being sent, and after a cancellation. */
  error: string | null;
  /** Its files were lost when the page closed, so it can be edited but not simply retried. */
  filesLost: boolean;
}

/** What a message waits for. */
export type Waiting = { state: 'waiting' } & Pick<OutboxEntry, 'goesAt'>;

/** How a message stands whose turn has come. */
export const BEGUN = { state: 'sending', progress: 0, goesAt: null, error: null } as const;
/** How long to wait after a 429 without Retry-After. */
const DEFAULT_WAIT_S = 60;
/** What was written longer ago is not sent behind its writer's back any more: it may say "tomorrow". */
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

/** What became of a message that was kept when its page closed (`now` in milliseconds): it goes on, unless that is up to its writer. */
export function keptEntry({ underWay, ...kept }: Outgoing, now: number): OutboxEntry {
  const filesLost = kept.fileNames.length > 0;
  const entry = { ...kept, ...BEGUN, files: [], filesLost };
  if (underWay && !filesLost && now - Date.parse(kept.startedAt) < GOES_ON_WITHIN_MS) return entry;
  const error = 'Not sent: the page was closed or you were signed out before it could go.';
  return { ...entry, state: 'failed', error };
}

/** Entries that the chain does not show yet: a message's event may arrive before the response to sending it. */
export function notArrived(entries: readonly OutboxEntry[], messages: readonly Message[]): OutboxEntry[] {
  return entries.filter((entry) => !hasArrived(entry, messages));
}

/** Whether a message is in its chain, although its response may have been lost. */
export function hasArrived({ key }: OutboxEntry, messages: readonly Message[]): boolean {
  return messages.some((message) => message.client_key === key);
}

/** Offline and rate-limited messages are retried automatically; the person decides about all others. */
export function waitsFor(error: unknown, now: number): Waiting | null {
  if (!(error instanceof ApiError)) return null;
  if (error.status === 0 && !navigator.onLine) return { state: 'waiting', goesAt: null };
  if (error.status !== 429) return null;
  return { state: 'waiting', goesAt: now + (error.retryAfter ?? DEFAULT_WAIT_S) * 1000 };
}

/** Whether a message was refused with the session, not for itself: it goes on when its writer has signed in again. */
export function endedWithSession(error: unknown): boolean {
  return error instanceof ApiError && (endsSession(error) || error.code === 'other_reader');
}

/** Null after a cancellation, which is not a failure. */
export function failureWords(error: unknown): string | null {
  return error instanceof DOMException && error.name === 'AbortError' ? null : errorMessage(error);
}
