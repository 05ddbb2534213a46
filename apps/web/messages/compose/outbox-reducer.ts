import { ApiError, endsSession, errorMessage } from '../../api/api-error.ts';
import type { Message } from '../../api/api-shapes.ts';
import type { Outgoing } from '../../drafts/drafts.ts';
import type { NewMessage } from './message-form.ts';

/** A message that has not arrived yet. */
export interface OutboxEntry extends NewMessage {
  /**
   * The idempotency key of every attempt, which the API stores with the message as `client_key`, so that the message is stored
   * once however often it is sent (MESSAGE-5).
   */
  key: string;
  fileNames: string[];
  startedAt: string;
  /** A `sending` message is being sent or is next in line. A `waiting` one is sent at `goesAt`, or when the network is back. */
  state: 'sending' | 'waiting' | 'failed';
  /** From 0 to 1. */
  progress: number;
  /** The time of the next attempt, in milliseconds since the epoch; null if none is planned or if it waits for the network. */
  goesAt: number | null;
  /** The reason of the failure, in words; null while it is being sent and after a cancellation. */
  error: string | null;
  /** True if its files were lost when the page closed, so that it can be edited but not retried. */
  filesLost: boolean;
  /** True if it failed because the session ended. It is sent when its writer signs in again. */
  resumes: boolean;
}

/** How the unsent messages are shown until the next attempt, and its time; null is the return of the network. */
type Wait = Pick<OutboxEntry, 'goesAt'> & { state: 'sending' | 'waiting' };

export interface OutboxState {
  /** The messages in the order in which they were written, which is the order of sending (OUTBOX-2). */
  entries: readonly OutboxEntry[];
  /** The key of the message that is being sent. There is at most one, so that the order stays. */
  attempt: string | null;
  /** The reason why the first unsent message waits, and with it all others. */
  wait: Wait | null;
  /** How many more attempts may fail to reach the server after the network came back, until a message fails. */
  retries: number;
  /** True while a page shows the messages, so that their writer sees a failure and decides about it. */
  isShown: boolean;
}

/** The result of an attempt. `done` means that the message has arrived, or that another tab has sent or discarded it. */
export type Outcome =
  | { kind: 'done' }
  | { kind: 'waits'; wait: Wait }
  /** The server was not reached at this time, in milliseconds, although the browser is online. */
  | { kind: 'unreachable'; error: string; at: number }
  | { kind: 'failed'; error: string | null; resumes: boolean };

export type OutboxEvent =
  | { type: 'written'; entry: OutboxEntry }
  | { type: 'retried' | 'cancelled' | 'discarded'; key: string }
  | { type: 'progressed'; key: string; progress: number }
  | { type: 'ended'; key: string; outcome: Outcome }
  | { type: 'shown'; isShown: boolean }
  /** The network is back. */
  | { type: 'online' }
  /** The time of the last `wake` effect has come. */
  | { type: 'woken' };

export type OutboxEffect =
  /** Sends the message, unless another tab has sent or discarded it, and reports `ended`. */
  | { type: 'attempt'; entry: OutboxEntry }
  /** Aborts the attempt, which then ends. */
  | { type: 'abort' }
  /** Stores the message for the next document, which sends it if it is under way. */
  | { type: 'store'; entry: OutboxEntry; underWay: boolean }
  | { type: 'remove'; key: string }
  | { type: 'wake'; at: number };

/** The next state, and the effects to perform in this order. */
export type Step = readonly [OutboxState, readonly OutboxEffect[]];

/** The state of a message whose turn has come or will come next. */
const READY = { state: 'sending', progress: 0, goesAt: null, error: null, resumes: false } as const;
/** The wait after a 429 without `Retry-After`. */
const DEFAULT_WAIT_S = 60;
/** The wait while an earlier attempt with the same key is in flight, perhaps from another tab (IDEMPOTENCY-2). */
const IN_FLIGHT_WAIT_MS = 2000;
/** A browser is often online a moment before its connections work, so a message is then tried again after 1, 2, and 4 seconds. */
const RETRIES = 3;
const FIRST_RETRY_MS = 1000;
/** An older message is not sent without its writer's decision, because its text may have become wrong ("tomorrow"). */
const RESUMED_WITHIN_MS = 24 * 60 * 60_000;

/** Creates the entry of a message that was written at `now`, in milliseconds since the epoch. */
export function newEntry(key: string, message: NewMessage, now: number): OutboxEntry {
  const fileNames = message.files.map((file) => file.name);
  const startedAt = new Date(now).toISOString();
  return { ...message, text: message.text.trim(), key, fileNames, startedAt, ...READY, filesLost: false };
}

/** Opens an outbox with the messages that an earlier document left unsent, and sends those that need no decision. */
export function openOutbox(outgoing: readonly Outgoing[], now: number): Step {
  const entries = outgoing.map((stored) => restoredEntry(stored, now));
  return sendNext({ entries, attempt: null, wait: null, retries: 0, isShown: false });
}

/**
 * Creates the entry of a message that was stored when its page closed: it is sent, or has failed if only its writer can decide.
 * `now` is in milliseconds since the epoch.
 */
export function restoredEntry({ underWay, ...stored }: Outgoing, now: number): OutboxEntry {
  const filesLost = stored.fileNames.length > 0;
  const entry = { ...stored, ...READY, files: [], filesLost };
  if (underWay && !filesLost && now - Date.parse(stored.startedAt) < RESUMED_WITHIN_MS) return entry;
  const error = 'Not sent: the page was closed or you were signed out before it could go.';
  return { ...entry, state: 'failed', error };
}

/** Applies an event. Events about messages that are no longer in the outbox change nothing. */
export function reduceOutbox(state: OutboxState, event: OutboxEvent): Step {
  switch (event.type) {
    case 'written':
      return enqueue({ ...state, entries: [...state.entries, event.entry] }, event.entry);
    case 'retried': {
      const entry = state.entries.find(({ key }) => key === event.key);
      return entry?.state === 'failed' && !entry.filesLost ? enqueue(state, entry) : [state, []];
    }
    case 'cancelled':
      if (state.attempt === event.key) return [state, [{ type: 'abort' }]];
      return fail(state, event.key, { error: null, resumes: false });
    case 'discarded': {
      const abort = state.attempt === event.key ? ([{ type: 'abort' }] as const) : [];
      return [withoutEntry(state, event.key), [...abort, { type: 'remove', key: event.key }]];
    }
    case 'progressed':
      return [withEntry(state, event.key, { progress: event.progress }), []];
    case 'ended':
      return state.attempt === event.key ? endAttempt({ ...state, attempt: null }, event.key, event.outcome) : [state, []];
    case 'shown': {
      const failed = event.isShown ? state.entries.filter((entry) => entry.state === 'failed' && !entry.resumes) : [];
      return [{ ...state, isShown: event.isShown }, failed.map((entry) => ({ type: 'store', entry, underWay: false }))];
    }
    case 'online':
      return state.wait?.goesAt === null ? resume({ ...state, retries: RETRIES }) : [state, []];
    case 'woken':
      return resume(state);
  }
}

/** Puts a new or failed message in line and stores it as under way. */
function enqueue(state: OutboxState, entry: OutboxEntry): Step {
  const ready = { ...entry, ...READY, ...state.wait };
  const [next, effects] = sendNext(withEntry(state, entry.key, ready));
  return [next, [{ type: 'store', entry: ready, underWay: true }, ...effects]];
}

/** Begins the next attempt, unless one is running or the messages wait. */
function sendNext(state: OutboxState): Step {
  const entry = state.entries.find(isUnsent);
  if (state.attempt !== null || state.wait !== null || entry === undefined) return [state, []];
  return [{ ...state, attempt: entry.key }, [{ type: 'attempt', entry }]];
}

function endAttempt(state: OutboxState, key: string, outcome: Outcome): Step {
  if (outcome.kind === 'unreachable') {
    const { error, at } = outcome;
    if (state.retries === 0) return endAttempt(state, key, { kind: 'failed', error, resumes: false });
    const goesAt = at + FIRST_RETRY_MS * 2 ** (RETRIES - state.retries);
    return waitFor({ ...state, retries: state.retries - 1 }, { state: 'sending', goesAt });
  }
  const reached = { ...state, retries: 0 };
  if (outcome.kind === 'waits') return waitFor(reached, outcome.wait);
  const isDone = outcome.kind === 'done';
  const [ended, effects] = isDone
    ? [withoutEntry(reached, key), [{ type: 'remove', key } as const]]
    : fail(reached, key, outcome);
  const [next, more] = sendNext(ended);
  return [next, [...effects, ...more]];
}

function waitFor(state: OutboxState, wait: Wait): Step {
  const entries = state.entries.map((entry) => (isUnsent(entry) ? { ...entry, ...wait } : entry));
  return [{ ...state, entries, wait }, wait.goesAt === null ? [] : [{ type: 'wake', at: wait.goesAt }]];
}

/**
 * Marks an unsent message as failed. It is stored as failed only while a page shows it, because then its writer decides. The next
 * document tries a message again that failed unseen.
 */
function fail(state: OutboxState, key: string, { error, resumes }: Pick<OutboxEntry, 'error' | 'resumes'>): Step {
  const unsent = state.entries.find((entry) => entry.key === key && isUnsent(entry));
  if (unsent === undefined) return [state, []];
  const entry: OutboxEntry = { ...unsent, state: 'failed', goesAt: null, error, resumes };
  return [withEntry(state, key, entry), state.isShown && !resumes ? [{ type: 'store', entry, underWay: false }] : []];
}

function resume(state: OutboxState): Step {
  const entries = state.entries.map((entry) => (isUnsent(entry) ? { ...entry, ...READY } : entry));
  return sendNext({ ...state, entries, wait: null });
}

function withEntry(state: OutboxState, key: string, part: Partial<OutboxEntry>): OutboxState {
  return { ...state, entries: state.entries.map((entry) => (entry.key === key ? { ...entry, ...part } : entry)) };
}

function withoutEntry(state: OutboxState, key: string): OutboxState {
  return { ...state, entries: state.entries.filter((entry) => entry.key !== key) };
}

function isUnsent({ state }: OutboxEntry): boolean {
  return state !== 'failed';
}

/** Returns the outcome of a failed attempt at `now`, in milliseconds. Only the network and a 429 make a message wait (OUTBOX-2). */
export function outcomeOf(error: unknown, { now, isOnline }: { now: number; isOnline: boolean }): Outcome {
  // A cancellation is not a failure that needs an explanation.
  if (error instanceof DOMException && error.name === 'AbortError') return { kind: 'failed', error: null, resumes: false };
  if (error instanceof ApiError) {
    const { status, code, retryAfter = DEFAULT_WAIT_S } = error;
    if (status === 0 && !isOnline) return { kind: 'waits', wait: { state: 'waiting', goesAt: null } };
    if (status === 0) return { kind: 'unreachable', error: error.message, at: now };
    if (status === 429) return { kind: 'waits', wait: { state: 'waiting', goesAt: now + retryAfter * 1000 } };
    if (code === 'idempotency_key_in_flight')
      return { kind: 'waits', wait: { state: 'sending', goesAt: now + IN_FLIGHT_WAIT_MS } };
  }
  const resumes = error instanceof ApiError && (endsSession(error) || error.code === 'other_reader');
  return { kind: 'failed', error: errorMessage(error), resumes };
}

/** True if the message is in the chain, even if the answer to its attempt was lost. */
export function hasArrived({ key }: OutboxEntry, messages: readonly Message[]): boolean {
  return messages.some((message) => message.client_key === key);
}
