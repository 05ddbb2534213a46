import { setTimeout as sleep } from 'node:timers/promises';
import type { Acknowledged } from './check-outcome.ts';

const AGAIN_AFTER_MS = 300;
const SILENT_MAX_MS = 45_000;
const ARRIVE_WITHIN_MS = 60_000;

interface StreamedMessage {
  chain_id: number;
  message: { id: number };
}

interface StreamOptions {
  bases: readonly string[];
  headers: Record<string, string>;
  acknowledged: readonly Acknowledged[];
  readAll: () => Promise<number[]>;
}

/** The live updates of one person, who comes back with the id of the last event whenever the stream ends, to any process. */
export class Stream {
  readonly problems: string[] = [];
  connections = 0;
  /** How often the page read everything again. */
  resyncs = 0;
  readonly #bases: readonly string[];
  readonly #headers: Record<string, string>;
  readonly #acknowledged: readonly Acknowledged[];
  readonly #readAll: () => Promise<number[]>;
  readonly #received = new Set<number>();
  /** The newest message of each conversation. */
  readonly #newest = new Map<number, number>();
  readonly #ending = new AbortController();
  #lastEventId: string | undefined;
  readonly #following: Promise<void>;

  /** @param readAll returns the ids of all messages, as a page reads them. */
  constructor({ bases, headers, acknowledged, readAll }: StreamOptions) {
    this.#bases = bases;
    this.#headers = headers;
    this.#acknowledged = acknowledged;
    this.#readAll = readAll;
    this.#following = this.#follow();
  }

  /** Ends the stream once every acknowledged message has arrived, or none has for a minute. @returns the problems */
  async end(): Promise<string[]> {
    const missing = () => this.#acknowledged.filter(({ id }) => !this.#received.has(id)).length;
    for (let left = missing(), until = performance.now() + ARRIVE_WITHIN_MS; left > 0 && performance.now() < until; ) {
      await sleep(100);
      if (missing() < left) until = performance.now() + ARRIVE_WITHIN_MS;
      left = missing();
    }
    this.#ending.abort();
    await this.#following;
    const ids = this.#acknowledged.flatMap(({ id }) => (this.#received.has(id) ? [] : [id]));
    return [...this.problems, ...ids.map((id) => `message ${id} never arrived on a stream`)];
  }

  async #follow(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      const base = this.#bases[this.connections % this.#bases.length];
      this.connections += 1;
      const last = this.#lastEventId === undefined ? {} : { 'last-event-id': this.#lastEventId };
      const silent = new AbortController();
      const signal = AbortSignal.any([this.#ending.signal, silent.signal]);
      try {
        const answer = await fetch(`${base}/api/messages/events`, { headers: { ...this.#headers, ...last }, signal });
        if (answer.status === 200 && answer.body !== null) await this.#read(answer.body, () => silent.abort());
      } catch {
        // The process was killed, or the stream was silent for too long.
      }
      await sleep(AGAIN_AFTER_MS, undefined, { signal: this.#ending.signal }).catch(() => {});
    }
  }

  async #read(body: ReadableStream<Uint8Array>, giveUp: () => void): Promise<void> {
    const decoder = new TextDecoder();
    const onThisStream = new Set<number>();
    let text = '';
    let timer = setTimeout(giveUp, SILENT_MAX_MS);
    try {
      for await (const chunk of body) {
        clearTimeout(timer);
        timer = setTimeout(giveUp, SILENT_MAX_MS);
        text += decoder.decode(chunk, { stream: true });
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) this.#receive(event, onThisStream);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #receive(event: string, onThisStream: Set<number>): void {
    const fields = new Map(
      event.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    );
    const kind = fields.get('event');
    if (kind === 'resync') {
      this.resyncs += 1;
      void this.#readAll().then((ids) => {
        for (const id of ids) this.#received.add(id);
      });
    }
    if (kind === 'message') {
      const { chain_id, message } = JSON.parse(fields.get('data') ?? '') as StreamedMessage;
      if (onThisStream.has(message.id)) this.problems.push(`message ${message.id} arrived twice on one stream`);
      onThisStream.add(message.id);
      const isNew = !this.#received.has(message.id);
      if (isNew && message.id < (this.#newest.get(chain_id) ?? 0)) this.problems.push(`message ${message.id} arrived too late`);
      this.#received.add(message.id);
      this.#newest.set(chain_id, Math.max(message.id, this.#newest.get(chain_id) ?? 0));
    }
    this.#lastEventId = fields.get('id') ?? this.#lastEventId;
  }
}
