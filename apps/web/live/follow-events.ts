import { isTemporary, parseRetryAfter } from '@case-platform/words/retry-after';
import { eventParser, type ServerEvent } from './event-parser.ts';

/** The state of an event stream: live, being opened, or rejected for good with this status. */
export type StreamState = 'live' | 'opening' | { refused: number };

interface Following {
  /** The id of the last event of an earlier stream, after which this one starts. */
  since: string | undefined;
  /** Opens a connection that starts after the event with this id. */
  open: (lastId: string | undefined, signal: AbortSignal) => Promise<Response>;
  onEvent: (event: ServerEvent) => void;
  onState: (state: StreamState) => void;
}

const AGAIN_AFTER_MS = 1_000;
const AGAIN_AT_MOST_MS = 30_000;
/** The API sends at least a comment every 20 seconds, so a connection that is silent for this long is dead. */
const SILENT_MS = 50_000;

/** Up to twice the wait, so that those who lost a process at the same moment do not come back at the same moment (LIVE-9). */
const spread = (ms: number) => ms + Math.random() * Math.min(ms, AGAIN_AT_MOST_MS);

/**
 * Follows server-sent events until it is stopped. A connection that ends is opened again after the last event, so that no event
 * is missed (LIVE-1, LIVE-4). An EventSource does that too, but it gives up at the first 429 or 503 without the status, starts
 * from nothing after that, and does not notice a connection that died while the computer slept.
 * @returns `stop`, and `again`, which reconnects at once, for example when the network is back.
 */
export function followEvents({ since, open, onEvent, onState }: Following): { stop: () => void; again: () => void } {
  let lastId = since;
  let failures = 0;
  let againAfter = AGAIN_AFTER_MS;
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

  /** Reads one connection to its end. @returns the wait before the next one in milliseconds, or null if there must be none. */
  const connect = async (signal: AbortSignal): Promise<number | null> => {
    const answer = await open(lastId, signal).catch(() => null);
    if (stopped) return null;
    if (answer?.ok && answer.body !== null) {
      failures = 0;
      onState('live');
      againAfter = spread(AGAIN_AFTER_MS);
      await read(answer.body).catch(() => {});
      return againAfter;
    }
    await answer?.body?.cancel();
    if (answer !== null && !isTemporary(answer.status)) {
      onState({ refused: answer.status });
      return null;
    }
    failures += 1;
    const required = (parseRetryAfter(answer?.headers.get('retry-after'), Date.now()) ?? 0) * 1000;
    return spread(Math.max(required, Math.min(AGAIN_AT_MOST_MS, AGAIN_AFTER_MS * 2 ** (failures - 1))));
  };

  const read = async (body: ReadableStream<Uint8Array>) => {
    // The server gives each stream another wait.
    const parse = eventParser((ms) => {
      againAfter = ms;
    });
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
