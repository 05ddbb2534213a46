import 'client-only';
import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { uploadForm } from '../../api/api-browser.ts';
import { ApiError, errorMessage } from '../../api/api-error.ts';
import type { Message, Reply } from '../../api/api-shapes.ts';
import { type LoadedChain, noteArrived, withMessage } from '../loaded-chain.ts';
import { keys } from '../queries.ts';
import { forgetOutgoing, keepOutgoing, readOutgoing } from './drafts.ts';
import { messageForm } from './message-form.ts';
import { noteSent } from './sent-message.ts';

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

type Waiting = { state: 'waiting' } & Pick<OutboxEntry, 'goesAt'>;

const BEGUN = { state: 'sending', progress: 0, goesAt: null, error: null } as const;
/** How long to wait after a 429 without Retry-After. */
const DEFAULT_WAIT_S = 60;

/** Sends messages to a chain, shows them while they are on their way, and keeps those that failed. */
export function useOutbox(userId: number, chainId: number) {
  const client = useQueryClient();
  const [entries, setEntries] = useState<OutboxEntry[]>([]);
  /** Those that are to be sent, in the order in which they were written; the first one is under way, or waits. */
  const queue = useRef<OutboxEntry[]>([]);
  const running = useRef<{ key: string; controller: AbortController } | null>(null);
  /** What the first one waits for, and all others with it. */
  const held = useRef<Waiting | null>(null);

  useEffect(() => setEntries(interrupted(userId, chainId)), [userId, chainId]);

  const update = (key: string, part: Partial<OutboxEntry>) =>
    setEntries((list) => list.map((entry) => (entry.key === key ? { ...entry, ...part } : entry)));
  const updateAll = (those: readonly OutboxEntry[], part: Partial<OutboxEntry>) => {
    for (const { key } of those) update(key, part);
  };
  const leaveQueue = (key: string) => {
    queue.current = queue.current.filter((entry) => entry.key !== key);
  };
  const drop = (key: string) => {
    leaveQueue(key);
    forgetOutgoing(userId, chainId, key);
    setEntries((list) => list.filter((entry) => entry.key !== key));
  };

  /** @returns what it waits for before it is tried again; null when it has arrived, or has failed. */
  const attempt = async (entry: OutboxEntry, { signal }: AbortController): Promise<Waiting | null> => {
    try {
      const { message } = await uploadForm<Reply>(`/api/messages/${chainId}`, messageForm(entry), {
        idempotencyKey: entry.key,
        signal,
        onProgress: (progress) => update(entry.key, { progress }),
      });
      noteArrived(message);
      client.setQueryData(keys.chain(chainId), (data: LoadedChain) => withMessage(data, message));
      // The query notifies its observers a moment later; dropping the entry right away would make the message flicker.
      notifyManager.schedule(() => drop(entry.key));
      noteSent();
      void client.invalidateQueries({ queryKey: keys.allChains });
      void client.invalidateQueries({ queryKey: keys.unread });
    } catch (error) {
      const waiting = waitsFor(error, Date.now());
      if (waiting !== null) return waiting;
      update(entry.key, { state: 'failed', goesAt: null, error: failureWords(error) });
    }
    return null;
  };

  /** One after another, to keep the order in which they were written: what waits holds back what was written after it. */
  const sendQueued = async () => {
    if (running.current !== null) return;
    held.current = null;
    for (let [entry] = queue.current; entry !== undefined; [entry] = queue.current) {
      const controller = new AbortController();
      running.current = { key: entry.key, controller };
      update(entry.key, BEGUN);
      held.current = await attempt(entry, controller);
      running.current = null;
      if (held.current !== null) return updateAll(queue.current, held.current);
      leaveQueue(entry.key);
    }
  };
  const enqueue = (entry: OutboxEntry) => {
    queue.current = [...queue.current, entry];
    const { current: waiting } = held;
    if (waiting !== null && (waiting.goesAt !== null || !navigator.onLine)) return update(entry.key, waiting);
    update(entry.key, BEGUN);
    void sendQueued();
  };
  const retryWaiting = useEffectEvent(sendQueued);
  const goesAt = entries.find((entry) => entry.goesAt !== null)?.goesAt ?? null;
  useEffect(() => {
    if (goesAt === null) return;
    const timer = setTimeout(retryWaiting, Math.max(0, goesAt - Date.now()));
    return () => clearTimeout(timer);
  }, [goesAt]);
  useEffect(() => {
    window.addEventListener('online', retryWaiting);
    return () => window.removeEventListener('online', retryWaiting);
  }, []);

  return {
    entries,
    send(text: string, files: File[]) {
      const entry = newEntry(text, files);
      keepOutgoing(userId, chainId, entry);
      setEntries((list) => [...list, entry]);
      enqueue(entry);
    },
    retry: enqueue,
    cancel(key: string) {
      if (running.current?.key === key) return running.current.controller.abort();
      leaveQueue(key);
      update(key, { state: 'failed', error: null });
    },
    drop,
    /** Drops entries whose message arrived although its response was lost. */
    settle(messages: readonly Message[]) {
      const arrived = entries.filter((entry) => entry.state !== 'sending' && hasArrived(entry, messages));
      for (const { key } of arrived) drop(key);
    },
  };
}

function newEntry(text: string, files: File[]): OutboxEntry {
  return {
    key: crypto.randomUUID(),
    text: text.trim(),
    files,
    fileNames: files.map((file) => file.name),
    startedAt: new Date().toISOString(),
    state: 'sending',
    progress: 0,
    goesAt: null,
    error: null,
    filesLost: false,
  };
}

function interrupted(userId: number, chainId: number): OutboxEntry[] {
  return readOutgoing(userId, chainId).map((entry) => ({
    ...entry,
    files: [],
    state: 'failed',
    progress: 0,
    goesAt: null,
    error: 'Not sent: the page was closed or you were signed out before it could go.',
    filesLost: entry.fileNames.length > 0,
  }));
}

/** Entries that the chain does not show yet: a message's event may arrive before the response to sending it. */
export function notArrived(entries: readonly OutboxEntry[], messages: readonly Message[]): OutboxEntry[] {
  return entries.filter((entry) => !hasArrived(entry, messages));
}

function hasArrived({ key }: OutboxEntry, messages: readonly Message[]): boolean {
  return messages.some((message) => message.client_key === key);
}

/** Offline and rate-limited messages are retried automatically; the person decides about all others. */
function waitsFor(error: unknown, now: number): Waiting | null {
  if (!(error instanceof ApiError)) return null;
  if (error.status === 0 && !navigator.onLine) return { state: 'waiting', goesAt: null };
  if (error.status !== 429) return null;
  return { state: 'waiting', goesAt: now + (error.retryAfter ?? DEFAULT_WAIT_S) * 1000 };
}

/** Null after a cancellation, which is not a failure. */
function failureWords(error: unknown): string | null {
  return error instanceof DOMException && error.name === 'AbortError' ? null : errorMessage(error);
}
