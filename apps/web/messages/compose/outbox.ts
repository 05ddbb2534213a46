import 'client-only';
import { notifyManager, type QueryClient } from '@tanstack/react-query';
import { apiBrowser, uploadForm } from '../../api/api-browser.ts';
import type { Message, Reply, StartedChain } from '../../api/api-shapes.ts';
import {
  attemptKey,
  chainsWithOutgoing,
  forgetOutgoing,
  forgetSent,
  isOutgoingKept,
  keepAttempt,
  keepOutgoing,
  type MessagePlace,
  readOutgoing,
} from '../../drafts/drafts.ts';
import { type LoadedChain, noteArrived, withMessage } from '../loaded-chain.ts';
import { keys } from '../queries.ts';
import { contentOf, messageForm, type NewMessage } from './message-form.ts';
import {
  hasArrived,
  newEntry,
  type OutboxEffect,
  type OutboxEntry,
  type OutboxEvent,
  openOutbox,
  outcomeOf,
  reduceOutbox,
  type Step,
} from './outbox-reducer.ts';

const outboxes = new Map<string, Outbox>();

/**
 * Returns the only outbox of a place in this document. The first call also resumes the messages that an earlier document left
 * unsent.
 * @param client the cache that receives messages once they have arrived.
 */
export function outboxOf(userId: number, place: MessagePlace, client: QueryClient): Outbox {
  const id = `${userId}/${place}`;
  const outbox = outboxes.get(id) ?? new Outbox(userId, place, client);
  outboxes.set(id, outbox);
  outbox.client = client;
  return outbox;
}

/** Lists the messages in an outbox; undefined until the outbox is opened. */
export function entriesOf(userId: number, place: MessagePlace): readonly OutboxEntry[] | undefined {
  return outboxes.get(`${userId}/${place}`)?.entries;
}

/** Sends the messages that an earlier document left unsent, in all chains. */
export function sendLeftOver(userId: number, client: QueryClient): void {
  for (const chainId of chainsWithOutgoing(userId)) outboxOf(userId, chainId, client);
}

let hasSent = false;

/** Returns true once a message was sent from this document. */
export function hasSentMessage(): boolean {
  return hasSent;
}

/**
 * Sends one person's messages from one place, whatever page is shown, by performing the effects of `reduceOutbox`. Replies are
 * stored until they have arrived. The first message of a chain stays a draft until then.
 */
export class Outbox {
  client: QueryClient;
  readonly #userId: number;
  readonly #place: MessagePlace;
  #state;
  #controller = new AbortController();
  /** The keys of messages that were put into storage, from which another tab or a sign-out may remove them. */
  readonly #stored = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #starts = new Set<(chainId: number) => void>();

  constructor(userId: number, place: MessagePlace, client: QueryClient) {
    this.#userId = userId;
    this.#place = place;
    this.client = client;
    const outgoing = readOutgoing(userId, place);
    for (const { key } of outgoing) this.#stored.add(key);
    const [state, effects] = openOutbox(outgoing, Date.now());
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
    window.addEventListener('online', () => this.#dispatch({ type: 'online' }));
  }

  get entries(): readonly OutboxEntry[] {
    return this.#state.entries;
  }

  /** Calls `listener` after every change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#dispatch({ type: 'shown', isShown: true });
    return () => {
      this.#listeners.delete(listener);
      this.#dispatch({ type: 'shown', isShown: this.#listeners.size > 0 });
    };
  }

  /** Calls `listener` when a first message has started a chain. */
  onStart(listener: (chainId: number) => void): () => void {
    this.#starts.add(listener);
    return () => this.#starts.delete(listener);
  }

  send(message: NewMessage): void {
    // A form has one message, and shows only its last attempt.
    if (!this.#isOfChain) this.discardFailed();
    if (!this.#isOfChain && this.entries.length > 0) return;
    const key = attemptKey(this.#userId, this.#place, contentOf(messageForm(message)));
    const entry = newEntry(key, message, Date.now());
    // An edited message may have its previous key, which is no longer in storage.
    this.#stored.delete(key);
    this.#noticeNetwork();
    this.#dispatch({ type: 'written', entry });
    if (this.#isOfChain) forgetSent(this.#userId, this.#place, entry.text);
  }

  retry(key: string): void {
    this.#noticeNetwork();
    this.#dispatch({ type: 'retried', key });
  }

  cancel(key: string): void {
    this.#dispatch({ type: 'cancelled', key });
  }

  /** Removes a message that returns to its form. It keeps its key while it is unchanged, because it may have arrived. */
  edit(entry: OutboxEntry): void {
    this.#dispatch({ type: 'discarded', key: entry.key });
    keepAttempt(this.#userId, this.#place, { key: entry.key, content: contentOf(messageForm(entry)) });
  }

  discardFailed(): void {
    for (const { key, state } of this.entries) if (state === 'failed') this.#dispatch({ type: 'discarded', key });
  }

  /** Removes messages that have arrived although the answer was lost. */
  settle(messages: readonly Message[]): void {
    const arrived = this.entries.filter((entry) => entry.state !== 'sending' && hasArrived(entry, messages));
    for (const { key } of arrived) this.#dispatch({ type: 'discarded', key });
  }

  get #isOfChain(): boolean {
    return typeof this.#place === 'number';
  }

  /** The browser may know that the network is back before it reports the event. */
  #noticeNetwork(): void {
    if (navigator.onLine) this.#dispatch({ type: 'online' });
  }

  #dispatch(event: OutboxEvent): void {
    const [state, effects]: Step = reduceOutbox(this.#state, event);
    const isChanged = state.entries !== this.#state.entries;
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
    if (isChanged) for (const listener of this.#listeners) listener();
  }

  #perform(effect: OutboxEffect): void {
    switch (effect.type) {
      case 'attempt':
        void this.#attempt(effect.entry);
        break;
      case 'abort':
        this.#controller.abort();
        break;
      case 'store':
        this.#store(effect.entry, effect.underWay);
        break;
      case 'remove':
        forgetOutgoing(this.#userId, this.#place, effect.key);
        break;
      case 'wake':
        setTimeout(() => this.#dispatch({ type: 'woken' }), Math.max(0, effect.at - Date.now()));
        break;
    }
  }

  /** A message that another tab has sent or discarded, or that a sign-out has deleted, must not come back. */
  #store(entry: OutboxEntry, underWay: boolean): void {
    if (!this.#isOfChain || this.#isGone(entry.key)) return;
    keepOutgoing(this.#userId, this.#place, { ...entry, underWay });
    this.#stored.add(entry.key);
  }

  #isGone(key: string): boolean {
    return this.#stored.has(key) && !isOutgoingKept(this.#userId, this.#place, key);
  }

  /** Sends in one tab at a time, because another tab may have the same messages, and the order of both must stay. */
  async #attempt(entry: OutboxEntry): Promise<void> {
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    const end = (error: unknown) => {
      const outcome = outcomeOf(error, { now: Date.now(), isOnline: navigator.onLine });
      this.#dispatch({ type: 'ended', key: entry.key, outcome });
    };
    const work = async () => {
      let chainId: number | null = null;
      try {
        if (!this.#isGone(entry.key)) chainId = await this.#send(entry, signal);
      } catch (error) {
        return end(error);
      }
      this.#dispatch({ type: 'ended', key: entry.key, outcome: { kind: 'done' } });
      if (chainId !== null) for (const listener of this.#starts) listener(chainId);
    };
    await inTurn(`outbox ${this.#userId}/${this.#place}`, signal, work).catch(end);
  }

  /** @returns the id of the chain that the message has started, or null for a reply. */
  async #send(entry: OutboxEntry, signal: AbortSignal): Promise<number | null> {
    const onProgress = (progress: number) => this.#dispatch({ type: 'progressed', key: entry.key, progress });
    const options = { idempotencyKey: entry.key, signal, onProgress };
    const form = messageForm(entry);
    let started: number | null = null;
    if (typeof this.#place === 'number') {
      const { message } = await uploadForm<Reply>(`/api/messages/${this.#place}`, form, options);
      noteArrived(message);
      this.client.setQueryData(keys.chain(this.#place), (data: LoadedChain) => withMessage(data, message));
      // The query notifies its observers a moment later, so removing the entry at once would make the message flicker.
      await new Promise<void>((resolve) => notifyManager.schedule(resolve));
      void this.client.invalidateQueries({ queryKey: keys.unread });
    } else {
      const { chain } = await uploadForm<StartedChain>('/api/messages', form, options);
      if (entry.disbursementId !== undefined) await linkChain(entry.disbursementId, chain.id, signal);
      forgetSent(this.#userId, this.#place, entry.text);
      started = chain.id;
    }
    hasSent = true;
    void this.client.invalidateQueries({ queryKey: keys.allChains });
    return started;
  }
}

function linkChain(disbursementId: number, chainId: number, signal: AbortSignal): Promise<unknown> {
  return apiBrowser(`/api/disbursements/${disbursementId}/chain`, { method: 'PUT', body: { chain_id: chainId }, signal });
}

/** Runs `work` while no other tab of this browser runs work with the same name. */
async function inTurn(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return work();
  await navigator.locks.request(name, { signal }, work).catch((error) => {
    // Locks are not available if storage is switched off. Then other tabs cannot have the same messages either.
    if (signal.aborted) throw error;
    return work();
  });
}
