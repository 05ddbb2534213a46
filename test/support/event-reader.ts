import { within } from '../../apps/web/look/within.ts';

/** Longer than any live update takes. A stream has no end of its own. */
const WITHIN_MS = 30_000;

/** An event of a stream, as a browser would dispatch it. */
export interface ReadEvent {
  event: string;
  id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the data.
  data: any;
}

/** Reads server-sent events in the order in which they arrive. */
export class EventReader {
  readonly #controller = new AbortController();
  readonly #events: ReadEvent[] = [];
  #wake = () => {};
  #ended = false;
  /** The id of the last event, which a browser sends when it reconnects. */
  lastId: string | undefined;
  status = 0;
  /** The request id of the stream in the logs. */
  requestId: string | null = null;

  static async open(url: string, headers: Record<string, string>): Promise<EventReader> {
    const reader = new EventReader();
    const response = await fetch(url, { headers, signal: reader.#controller.signal });
    reader.status = response.status;
    reader.requestId = response.headers.get('x-request-id');
    if (response.status === 200 && response.body !== null) void reader.#pump(response.body);
    else await response.body?.cancel();
    return reader;
  }

  /** Returns the next event that matches, and drops the events before it. */
  async next(wanted: (event: ReadEvent) => boolean = () => true): Promise<ReadEvent> {
    const passed: string[] = [];
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined && wanted(event)) return event;
      if (event !== undefined) {
        passed.push(event.event);
        continue;
      }
      if (this.#ended) throw new Error('The stream has ended.');
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await within(WITHIN_MS, promise, `The event never arrived. The stream had: ${passed.join(', ') || 'nothing'}.`);
    }
  }

  /** Resolves when the server has ended the stream. */
  async ended(): Promise<void> {
    await this.next(() => false).catch((error) => {
      if (!this.#ended) throw error;
    });
  }

  close(): void {
    this.#controller.abort();
  }

  async #pump(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of body) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#read(block);
      }
    } catch {
      // Closed by this reader, or cut off.
    }
    this.#ended = true;
    this.#wake();
  }

  #read(block: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
    const [event, id, data] = [field('event'), field('id'), field('data')];
    if (id !== undefined) this.lastId = id;
    if (event === undefined) return;
    this.#events.push({ event, id, data: JSON.parse(data ?? 'null') });
    this.#wake();
  }
}

/** Returns the events that someone gets who reconnects, until they have caught up, and the id of the last one. */
export async function catchUp(
  who: { baseUrl: string; token: string | null },
  lastId?: string,
): Promise<{ events: ReadEvent[]; lastId: string }> {
  const authorization = `Bearer ${who.token}`;
  const headers = { authorization, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
  const reader = await EventReader.open(`${who.baseUrl}/api/messages/events`, headers);
  const events: ReadEvent[] = [];
  do events.push(await reader.next());
  while (events.at(-1)?.event !== 'unread');
  reader.close();
  return { events, lastId: reader.lastId ?? '' };
}
