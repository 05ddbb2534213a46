import 'client-only';
import { notifyManager, type QueryClient } from '@tanstack/react-query';
import { apiBrowser, type Upload, uploadForm } from '../../api/api-browser.ts';
import type { Message, Reply, StartedChain } from '../../api/api-shapes.ts';
import {
  attemptKey,
  forgetOutgoing,
  forgetSent,
  isOutgoingKept,
  keepAttempt,
  keepOutgoing,
  type MessagePlace,
  readOutgoing,
} from '../../drafts/drafts.ts';
import { type LoadedChain, recordArrival, withMessage } from '../loaded-chain.ts';
import { keys } from '../queries.ts';
import { contentOf, messageForm, type NewMessage } from './message-form.ts';
import {
  hasArrived,
  newEntry,
  type OutboxEffect,
  type OutboxEntry,
  type OutboxEvent,
  type Outcome,
  openOutbox,
  outcomeOf,
  reduceOutbox,
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
    this.#enqueue({ type: 'written', entry });
    if (this.#isOfChain) forgetSent(this.#userId, this.#place, entry.text);
  }

  retry(key: string): void {
    this.#enqueue({ type: 'retried', key });
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

  #enqueue(event: OutboxEvent): void {
    // The browser may know that the network is back before it reports it.
    if (navigator.onLine) this.#dispatch({ type: 'online' });
    this.#dispatch(event);
  }

  #dispatch(event: OutboxEvent): void {
    const [state, effects] = reduceOutbox(this.#state, event);
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
    const end = (outcome: Outcome) => this.#dispatch({ type: 'ended', key: entry.key, outcome });
    const fail = (error: unknown) => end(outcomeOf(error, { now: Date.now(), isOnline: navigator.onLine }));
    const work = async () => {
      try {
        const chainId = this.#isGone(entry.key) ? null : await this.#send(entry, signal);
        end({ kind: 'done' });
        if (chainId !== null) for (const listener of this.#starts) listener(chainId);
      } catch (error) {
        fail(error);
      }
    };
    if (!('locks' in navigator)) return work();
    // Locks are not available if storage is switched off. Then other tabs cannot have the same messages either.
    const withoutLock = (error: unknown) => (signal.aborted ? fail(error) : work());
    await navigator.locks.request(`outbox ${this.#userId}/${this.#place}`, { signal }, work).catch(withoutLock);
  }

  /** @returns the id of the chain that a first message has started, or null for a reply. */
  async #send(entry: OutboxEntry, signal: AbortSignal): Promise<number | null> {
    const onProgress = (progress: number) => this.#dispatch({ type: 'progressed', key: entry.key, progress });
    const options = { idempotencyKey: entry.key, signal, onProgress };
    let started: number | null = null;
    if (typeof this.#place === 'number') await this.#reply(this.#place, entry, options);
    else started = await this.#startChain(entry, options);
    hasSent = true;
    void this.client.invalidateQueries({ queryKey: keys.allChains });
    return started;
  }

  async #reply(chainId: number, entry: OutboxEntry, options: Upload): Promise<void> {
    const { message } = await uploadForm<Reply>(`/api/messages/${chainId}`, messageForm(entry), options);
    recordArrival(message);
    this.client.setQueryData(keys.chain(chainId), (data: LoadedChain) => withMessage(data, message));
    // The query notifies its observers a moment later, so removing the entry at once would make the message flicker.
    await new Promise<void>((resolve) => notifyManager.schedule(resolve));
    void this.client.invalidateQueries({ queryKey: keys.unread });
  }

  async #startChain(entry: OutboxEntry, options: Upload): Promise<number> {
    const { chain } = await uploadForm<StartedChain>('/api/messages', messageForm(entry), options);
    if (entry.disbursementId !== undefined) {
      const path = `/api/disbursements/${entry.disbursementId}/chain` as const;
      await apiBrowser(path, { method: 'PUT', body: { chain_id: chain.id }, signal: options.signal });
    }
    forgetSent(this.#userId, this.#place, entry.text);
    return chain.id;
  }
}
