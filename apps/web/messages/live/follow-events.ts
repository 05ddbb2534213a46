import { isTemporary, parseRetryAfter } from '@case-platform/words/retry-after';
import { eventParser, type ServerEvent } from './event-parser.ts';

/** How a stream of events is doing: live, being opened again, or refused for good with this status. */
export type StreamState = 'live' | 'opening' | { refused: number };

interface Following {
  /** The last event of an earlier stream, to go on from there. */
  since: string | undefined;
  /** Opens the stream, from after the event with this id. */
  open: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>;
  onEvent: (event: ServerEvent) => void;
  onState: (state: StreamState) => void;
}

const AGAIN_AFTER_MS = 1_000;
const AGAIN_AT_MOST_MS = 30_000;
/** The API sends something every 20 seconds; a connection that is silent for longer is dead. */
const SILENT_MS = 50_000;

/**
 * Follows server-sent events until it is stopped. Whenever the connection ends it is opened again, from the last event on,
 * so that nothing between is missed. An EventSource does the same, but gives up at the first 429 or 503 without saying
 * which it was, starts from nothing after that, and does not notice a connection that has died in a sleep.
 * @returns how to stop it, and how to open it anew at once, for example when the network is back.
 */
export function followEvents({ since, open, onEvent, onState }: Following): { stop: () => void; again: () => void } {
  let lastId = since;
  let failures = 0;
  let stopped = false;
  let controller = new AbortController();
  let wake = () => {};

  const run = async () => {
    while (!stopped) {
      onState('opening');
      controller = new AbortController();
      const wait = await connect(controller.signal);
      if (wait === null) return;
      if (!stopped) onState('opening');
      await pause(wait);
    }
  };

  /** One connection. @returns how long to wait before the next one; null when there must be none. */
  const connect = async (signal: AbortSignal): Promise<number | null> => {
    const answer = await open(lastId, signal).catch(() => null);
    if (stopped) return null;
    if (answer?.ok && answer.body !== null) {
      failures = 0;
      onState('live');
      await read(answer.body).catch(() => {});
      return AGAIN_AFTER_MS;
    }
    await answer?.body?.cancel();
    if (answer !== null && !isTemporary(answer.status)) {
      onState({ refused: answer.status });
      return null;
    }
    failures += 1;
    const required = (parseRetryAfter(answer?.headers.get('retry-after'), Date.now()) ?? 0) * 1000;
    return Math.max(required, Math.min(AGAIN_AT_MOST_MS, AGAIN_AFTER_MS * 2 ** (failures - 1)));
  };

  const read = async (body: ReadableStream<Uint8Array>) => {
    const parse = eventParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const silent = setTimeout(() => controller.abort(), SILENT_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(silent));
      if (done || stopped) return;
      for (const event of parse(decoder.decode(value, { stream: true }))) {
        lastId = event.id ?? lastId;
        onEvent(event);
      }
    }
  };

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  void run();
  return {
    stop() {
      stopped = true;
      controller.abort();
      wake();
    },
    again() {
      failures = 0;
      controller.abort();
      wake();
    },
  };
}
