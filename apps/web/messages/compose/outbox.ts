import 'client-only';
import { notifyManager, type QueryClient } from '@tanstack/react-query';
import type { Message, Reply } from '../../api/api-shapes.ts';
import { type LoadedChain, noteArrived, withMessage } from '../loaded-chain.ts';
import { keys } from '../queries.ts';
import { chainsWithOutgoing, forgetOutgoing, isOutgoingKept, keepOutgoing, readOutgoing } from './drafts.ts';
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

/** Sends one person's messages to one chain, whichever page is shown meanwhile, and keeps those that failed. */
export type Outbox = ReturnType<typeof openOutbox>;

const outboxes = new Map<string, Outbox>();

/**
 * The outbox of a chain, one for as long as the document lives. The first look at it takes up what an earlier one has left.
 * @param client the cache that messages are put into once they have arrived.
 */
export function outboxOf(userId: number, chainId: number, client: QueryClient): Outbox {
  const id = `${userId}/${chainId}`;
  const outbox = outboxes.get(id) ?? openOutbox(userId, chainId);
  outboxes.set(id, outbox);
  outbox.arriveIn(client);
  return outbox;
}

/** What is in a chain's outbox; undefined until somebody has looked at it. */
export function entriesOf(userId: number, chainId: number): readonly OutboxEntry[] | undefined {
  return outboxes.get(`${userId}/${chainId}`)?.entries();
}

/** Sends what an earlier page of this person has left unsent, to any chain. */
export function sendLeftOver(userId: number, client: QueryClient): void {
  for (const chainId of chainsWithOutgoing(userId)) outboxOf(userId, chainId, client);
}

function openOutbox(userId: number, chainId: number) {
  const now = Date.now();
  let entries: readonly OutboxEntry[] = readOutgoing(userId, chainId).map((kept) => keptEntry(kept, now));
  /** Those that are to be sent, in the order in which they were written; the first one is under way, or waits. */
  let queue = entries.filter((entry) => entry.state === 'sending');
  /** Those that are in storage too, where another tab may take them away. */
  const kept = new Set(entries.map((entry) => entry.key));
  /** Those that failed with the session: they go when their writer has signed in again. */
  const goesOn = new Set<string>();
  let running: { key: string; controller: AbortController } | null = null;
  let busy = false;
  /** What the first one waits for, and all others with it. */
  let held: Waiting | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cache: QueryClient | null = null;
  const listeners = new Set<() => void>();

  const setEntries = (next: readonly OutboxEntry[]) => {
    entries = next;
    for (const listener of listeners) listener();
  };
  const update = (key: string, part: Partial<OutboxEntry>) =>
    setEntries(entries.map((entry) => (entry.key === key ? { ...entry, ...part } : entry)));
  const isGone = ({ key }: OutboxEntry) => kept.has(key) && !isOutgoingKept(userId, chainId, key);
  const keep = (entry: OutboxEntry, underWay: boolean) => {
    // What another tab has sent or discarded, or a sign-out has deleted, must not come back.
    if (isGone(entry)) return;
    keepOutgoing(userId, chainId, { ...entry, underWay });
    if (isOutgoingKept(userId, chainId, entry.key)) kept.add(entry.key);
  };
  const leaveQueue = (key: string) => {
    queue = queue.filter((entry) => entry.key !== key);
  };
  const drop = (key: string) => {
    leaveQueue(key);
    forgetOutgoing(userId, chainId, key);
    setEntries(entries.filter((entry) => entry.key !== key));
  };
  /** What its writer is shown as failed is up to them; what fails unseen is tried again by the next document. */
  const keepFailed = () => {
    if (listeners.size === 0) return;
    for (const entry of entries) if (entry.state === 'failed' && !goesOn.has(entry.key)) keep(entry, false);
  };
  const fail = (key: string, error: string | null) => {
    update(key, { state: 'failed', goesAt: null, error });
    keepFailed();
  };

  /** @returns what it waits for before it is tried again; null when it has arrived, or has failed. */
  const attempt = async (entry: OutboxEntry, { signal }: AbortController): Promise<Waiting | null> => {
    try {
      const { message } = await sendForm<Reply>(`/api/messages/${chainId}`, messageForm(entry), {
        idempotencyKey: entry.key,
        signal,
        onProgress: (progress) => update(entry.key, { progress }),
      });
      noteArrived(message);
      cache?.setQueryData(keys.chain(chainId), (data: LoadedChain) => withMessage(data, message));
      // The query notifies its observers a moment later; dropping the entry right away would make the message flicker.
      notifyManager.schedule(() => drop(entry.key));
      noteSent();
      void cache?.invalidateQueries({ queryKey: keys.allChains });
      void cache?.invalidateQueries({ queryKey: keys.unread });
    } catch (error) {
      const waiting = waitsFor(error, Date.now());
      if (waiting !== null) return waiting;
      if (endedWithSession(error)) goesOn.add(entry.key);
      fail(entry.key, failureWords(error));
    }
    return null;
  };

  /** One after another, to keep the order in which they were written: what waits holds back what was written after it. */
  const sendAll = async () => {
    for (let [entry] = queue; entry !== undefined; [entry] = queue) {
      if (isGone(entry)) {
        drop(entry.key);
        continue;
      }
      const controller = new AbortController();
      running = { key: entry.key, controller };
      update(entry.key, BEGUN);
      held = await attempt(entry, controller);
      running = null;
      if (held !== null) return wait(held);
      leaveQueue(entry.key);
    }
  };
  const wait = (waiting: Waiting) => {
    for (const { key } of queue) update(key, waiting);
    if (waiting.goesAt !== null) timer = setTimeout(sendQueued, Math.max(0, waiting.goesAt - Date.now()));
  };
  /** By one tab at a time: another one may have the same messages to send, and those of both keep their order. */
  const sendQueued = async () => {
    if (busy) return;
    held = null;
    clearTimeout(timer);
    if (queue.length === 0) return;
    busy = true;
    await inTurn(`outbox ${userId}/${chainId}`, async () => {
      await sendAll();
      busy = false;
    });
  };
  const enqueue = (entry: OutboxEntry) => {
    goesOn.delete(entry.key);
    queue = [...queue, entry];
    keep(entry, true);
    if (held !== null && (held.goesAt !== null || !navigator.onLine)) return update(entry.key, held);
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
    /** Drops entries whose message arrived although its response was lost. */
    settle(messages: readonly Message[]) {
      const arrived = entries.filter((entry) => entry.state !== 'sending' && hasArrived(entry, messages));
      for (const { key } of arrived) drop(key);
    },
  };
}

/** Does something while no other tab of this browser does what has the same name; `work` never fails. */
async function inTurn(name: string, work: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return work();
  // Refused where storage is switched off, and with it what other tabs could have found there.
  await navigator.locks.request(name, work).catch(work);
}
