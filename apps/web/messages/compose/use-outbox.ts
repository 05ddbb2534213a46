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
   * What it is, from the tap to the row: the idempotency key of all its attempts, which the message itself carries as
   * `client_key`. The API takes it once, however often it is tried.
   */
  key: string;
  text: string;
  files: File[];
  fileNames: string[];
  startedAt: string;
  /** `waiting` goes as soon as the network is back, or at `goesAt`. */
  state: 'sending' | 'waiting' | 'failed';
  /** From 0 to 1. */
  progress: number;
  /** When it goes by itself: more was sent within a minute than the API takes. In milliseconds; null where nothing is known. */
  goesAt: number | null;
  /** Why it failed; null while it is on its way, and when the person stopped it. */
  error: string | null;
  /** Its files were lost with the page; it can be written again but not just repeated. */
  filesLost: boolean;
}

/** How long a message waits that was refused without a word about when. */
const DEFAULT_WAIT_S = 60;

/** Sends messages into a chain, shows them before they have arrived, and keeps those that could not be sent. */
export function useOutbox(userId: number, chainId: number) {
  const client = useQueryClient();
  const [entries, setEntries] = useState<OutboxEntry[]>([]);
  const running = useRef(new Map<string, AbortController>());

  useEffect(() => setEntries(interrupted(userId, chainId)), [userId, chainId]);

  const update = (key: string, part: Partial<OutboxEntry>) =>
    setEntries((list) => list.map((entry) => (entry.key === key ? { ...entry, ...part } : entry)));
  const drop = (key: string) => {
    forgetOutgoing(userId, chainId, key);
    setEntries((list) => list.filter((entry) => entry.key !== key));
  };

  const attempt = async (entry: OutboxEntry) => {
    const controller = new AbortController();
    running.current.set(entry.key, controller);
    try {
      const { message } = await uploadForm<Reply>(`/api/messages/${chainId}`, messageForm(entry), {
        idempotencyKey: entry.key,
        signal: controller.signal,
        onProgress: (progress) => update(entry.key, { progress }),
      });
      noteArrived(message);
      client.setQueryData(keys.chain(chainId), (data: LoadedChain) => withMessage(data, message));
      // The query tells its readers a moment later: dropped at once, the message would be nowhere in between.
      notifyManager.schedule(() => drop(entry.key));
      noteSent();
      void client.invalidateQueries({ queryKey: keys.allChains });
      void client.invalidateQueries({ queryKey: keys.unread });
    } catch (error) {
      update(entry.key, { ...afterFailure(error, Date.now()), error: failureWords(error) });
    } finally {
      running.current.delete(entry.key);
    }
  };

  const retry = (entry: OutboxEntry) => {
    update(entry.key, { state: 'sending', progress: 0, goesAt: null, error: null });
    return attempt(entry);
  };
  // One after the other, so that they arrive in the order in which they were written.
  const retryWaiting = useEffectEvent(async () => {
    for (const entry of entries.filter(({ state }) => state === 'waiting')) await retry(entry);
  });
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
      void attempt(entry);
    },
    retry,
    cancel: (key: string) => running.current.get(key)?.abort(),
    drop,
    /** Forgets those that turn out to have arrived though their answer did not. */
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
    error: 'The page was closed before it had gone.',
    filesLost: entry.fileNames.length > 0,
  }));
}

/** Those that the chain does not show yet: a message may come by its event before the answer to its sending. */
export function notArrived(entries: readonly OutboxEntry[], messages: readonly Message[]): OutboxEntry[] {
  return entries.filter((entry) => !hasArrived(entry, messages));
}

function hasArrived({ key }: OutboxEntry, messages: readonly Message[]): boolean {
  return messages.some((message) => message.client_key === key);
}

/** What waits goes by itself; everything else is for the person to decide. */
function afterFailure(error: unknown, now: number): Pick<OutboxEntry, 'state' | 'goesAt'> {
  if (!(error instanceof ApiError)) return { state: 'failed', goesAt: null };
  if (error.status === 0 && !navigator.onLine) return { state: 'waiting', goesAt: null };
  if (error.status !== 429) return { state: 'failed', goesAt: null };
  return { state: 'waiting', goesAt: now + (error.retryAfter ?? DEFAULT_WAIT_S) * 1000 };
}

/** Null when the person stopped it, which is no failure. */
function failureWords(error: unknown): string | null {
  return error instanceof DOMException && error.name === 'AbortError' ? null : errorMessage(error);
}
