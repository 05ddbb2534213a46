import 'client-only';
import { notifyManager, type QueryClient } from '@tanstack/react-query';
import type { Message, Reply } from '../../api/api-shapes.ts';
import { chainsWithOutgoing, forgetOutgoing, isOutgoingKept, keepOutgoing, readOutgoing } from '../../drafts/drafts.ts';
import { type LoadedChain, noteArrived, withMessage } from '../loaded-chain.ts';
import { keys } from '../queries.ts';
import { messageForm } from './message-form.ts';
import {
  BEGUN,
  endedWithSession,
  failureWords,
  hasArrived,
  keptEntry,
  newEntry,
  type OutboxEntry,
  type Waiting,
  waitsFor,
} from './outbox-entry.ts';
import { sendForm } from './send-form.ts';
import { noteSent } from './sent-message.ts';

/** Sends one person's messages to one chain, whatever page is shown, and stores them until they have arrived. */
export type Outbox = ReturnType<typeof openOutbox>;

const outboxes = new Map<string, Outbox>();

/**
 * Returns the only outbox of a chain in this document. The first call also resumes the messages that an earlier document left
 * unsent.
 * @param client the cache that receives messages once they have arrived.
 */
export function outboxOf(userId: number, chainId: number, client: QueryClient): Outbox {
  const id = `${userId}/${chainId}`;
  const outbox = outboxes.get(id) ?? openOutbox(userId, chainId);
  outboxes.set(id, outbox);
  outbox.arriveIn(client);
  return outbox;
}

/** Lists the messages in a chain's outbox; undefined until the outbox is opened. */
export function entriesOf(userId: number, chainId: number): readonly OutboxEntry[] | undefined {
  return outboxes.get(`${userId}/${chainId}`)?.entries();
}

/** Sends the messages that an earlier document left unsent, in all chains. */
export function sendLeftOver(userId: number, client: QueryClient): void {
  for (const chainId of chainsWithOutgoing(userId)) outboxOf(userId, chainId, client);
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one outbox.
function openOutbox(userId: number, chainId: number) {
  const now = Date.now();
  let entries: readonly OutboxEntry[] = readOutgoing(userId, chainId).map((outgoing) => keptEntry(outgoing, now));
  /** The messages to send, in the order in which they were written (OUTBOX-2). The first one is being sent, or waits. */
  let queue = entries.filter((entry) => entry.state === 'sending');
  /** The keys of messages that were put into storage, from which another tab may remove them. */
  const stored = new Set(entries.map((entry) => entry.key));
  /** The keys of messages that were rejected because the session ended. They are sent when their writer signs in again. */
  const resumable = new Set<string>();
  let running: { key: string; controller: AbortController } | null = null;
  let busy = false;
  /** The reason why the first message waits, and with it all others. */
  let currentWait: Waiting | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cache: QueryClient | null = null;
  const listeners = new Set<() => void>();

  const setEntries = (next: readonly OutboxEntry[]) => {
    entries = next;
    for (const listener of listeners) listener();
  };
  const update = (key: string, part: Partial<OutboxEntry>) =>
    setEntries(entries.map((entry) => (entry.key === key ? { ...entry, ...part } : entry)));
  const isGone = ({ key }: OutboxEntry) => stored.has(key) && !isOutgoingKept(userId, chainId, key);
  const keep = (entry: OutboxEntry, underWay: boolean) => {
    // A message that another tab has sent or discarded, or that a sign-out has deleted, must not come back.
    if (isGone(entry)) return;
    keepOutgoing(userId, chainId, { ...entry, underWay });
    if (isOutgoingKept(userId, chainId, entry.key)) stored.add(entry.key);
  };
  const leaveQueue = (key: string) => {
    queue = queue.filter((entry) => entry.key !== key);
  };
  const drop = (key: string) => {
    leaveQueue(key);
    forgetOutgoing(userId, chainId, key);
    setEntries(entries.filter((entry) => entry.key !== key));
  };
  /**
   * Stores failed messages as failed once a page shows them, because then their writer decides. Those that fail unseen are tried
   * again by the next document.
   */
  const keepFailed = () => {
    if (listeners.size === 0) return;
    for (const entry of entries) if (entry.state === 'failed' && !resumable.has(entry.key)) keep(entry, false);
  };
  const fail = (key: string, error: string | null) => {
    update(key, { state: 'failed', goesAt: null, error });
    keepFailed();
  };

  /** @returns the wait before the next attempt, or null if the message has arrived or has failed. */
  const attempt = async (entry: OutboxEntry, { signal }: AbortController): Promise<Waiting | null> => {
    try {
      const { message } = await sendForm<Reply>(`/api/messages/${chainId}`, messageForm(entry), {
        idempotencyKey: entry.key,
        signal,
        onProgress: (progress) => update(entry.key, { progress }),
      });
      noteArrived(message);
      cache?.setQueryData(keys.chain(chainId), (data: LoadedChain) => withMessage(data, message));
      // The query notifies its observers a moment later, so dropping the entry at once would make the message flicker.
      notifyManager.schedule(() => drop(entry.key));
      noteSent();
      void cache?.invalidateQueries({ queryKey: keys.allChains });
      void cache?.invalidateQueries({ queryKey: keys.unread });
    } catch (error) {
      const waiting = waitsFor(error, Date.now());
      if (waiting !== null) return waiting;
      if (endedWithSession(error)) resumable.add(entry.key);
      fail(entry.key, failureWords(error));
    }
    return null;
  };

  /** Sends one message after another. One that waits delays those written after it, so that the order stays (OUTBOX-2). */
  const sendAll = async () => {
    for (let [entry] = queue; entry !== undefined; [entry] = queue) {
      if (isGone(entry)) {
        drop(entry.key);
        continue;
      }
      const controller = new AbortController();
      running = { key: entry.key, controller };
      update(entry.key, BEGUN);
      currentWait = await attempt(entry, controller);
      running = null;
      if (currentWait !== null) return wait(currentWait);
      leaveQueue(entry.key);
    }
  };
  const wait = (waiting: Waiting) => {
    for (const { key } of queue) update(key, waiting);
    if (waiting.goesAt !== null) timer = setTimeout(sendQueued, Math.max(0, waiting.goesAt - Date.now()));
  };
  /** Sends in one tab at a time, because another tab may have the same messages, and the order of both must stay. */
  const sendQueued = async () => {
    if (busy) return;
    currentWait = null;
    clearTimeout(timer);
    if (queue.length === 0) return;
    busy = true;
    await inTurn(`outbox ${userId}/${chainId}`, async () => {
      await sendAll();
      busy = false;
    });
  };
  const enqueue = (entry: OutboxEntry) => {
    resumable.delete(entry.key);
    queue = [...queue, entry];
    keep(entry, true);
    if (currentWait !== null && (currentWait.goesAt !== null || !navigator.onLine)) return update(entry.key, currentWait);
    update(entry.key, BEGUN);
    void sendQueued();
  };

  window.addEventListener('online', sendQueued);
  void sendQueued();
  return {
    entries: () => entries,
    subscribe(listener: () => void) {
      listeners.add(listener);
      keepFailed();
      return () => listeners.delete(listener);
    },
    arriveIn(client: QueryClient) {
      cache = client;
    },
    send(text: string, files: File[]) {
      const entry = newEntry(text, files);
      setEntries([...entries, entry]);
      enqueue(entry);
    },
    retry: enqueue,
    cancel(key: string) {
      if (running?.key === key) return running.controller.abort();
      leaveQueue(key);
      fail(key, null);
    },
    drop,
    /** Drops entries whose message has arrived although the answer was lost. */
    settle(messages: readonly Message[]) {
      const arrived = entries.filter((entry) => entry.state !== 'sending' && hasArrived(entry, messages));
      for (const { key } of arrived) drop(key);
    },
  };
}

/** Runs `work`, which must not fail, while no other tab of this browser runs work with the same name. */
async function inTurn(name: string, work: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return work();
  // Locks are not available if storage is switched off. Then other tabs cannot have the same messages either.
  await navigator.locks.request(name, work).catch(work);
}
