import 'client-only';
import { pageAge, STREAM_WITHIN_MS } from '@case-platform/lib/browser/page-age';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiBrowser, openEvents } from '../api/api-browser.ts';
import type { Message, UnreadCount } from '../api/api-shapes.ts';
import { reportCaseChange } from '../live/case-changes.ts';
import type { ServerEvent } from '../live/event-parser.ts';
import { followEvents } from '../live/follow-events.ts';
import { setLive } from '../live/live-state.ts';
import { throttled } from '../live/throttled.ts';
import { type LoadedChain, recordArrival, withMessage } from './loaded-chain.ts';
import { keys } from './queries.ts';
import { reuseSignedUrls } from './signed-urls.ts';

const EVENTS = '/api/messages/events';
/** A hidden tab closes its connection after this time, because browsers allow six per server over HTTP/1.1 (LIVE-7). */
const HIDDEN_MS = 60_000;
/** The minimum interval between two fetches of the lists. */
const LISTS_EVERY_MS = 500;

/**
 * Keeps this tab up to date through one event stream. While the stream is reconnecting or rejected, queries poll (`useLive`). A
 * tab that returns to the foreground catches up.
 */
export function useLiveUpdates(): void {
  const client = useQueryClient();
  useEffect(() => {
    const lists = throttled(() => void client.invalidateQueries({ queryKey: keys.allChains }), LISTS_EVERY_MS);
    let stream: ReturnType<typeof followEvents> | null = null;
    let lastId: string | undefined;
    let isFirstStream = true;
    /** Until a stream has caught up, the page may not show changes of cases that were not sent. */
    let isBehind = true;
    let age = 0;
    const start = () => {
      stream ??= followEvents({
        since: lastId,
        open: (lastId, signal) => {
          isFirstStream = lastId === undefined;
          isBehind = true;
          age = pageAge();
          return openEvents(isFirstStream ? `${EVENTS}?page_age=${age}` : EVENTS, lastId, signal);
        },
        onEvent: (event) => {
          lastId = event.id ?? lastId;
          if (event.event === 'current') isBehind = pageAge() - age > STREAM_WITHIN_MS;
          // A stream first repeats events, and then sends the unread count.
          if (isBehind && event.event === 'unread') {
            isBehind = false;
            reportCaseChange(null);
            if (isFirstStream) void client.invalidateQueries({ queryKey: keys.allOpened });
          }
          if (!isBehind || event.event !== 'case') applyEvent(client, event, lists.run);
        },
        onState: (state) => {
          setLive(state === 'live');
          // A normal call gets the same rejection, and `refusal` handles what it means for the session.
          if (typeof state === 'object') callOnce();
        },
      });
    };
    const stop = () => {
      stream?.stop();
      stream = null;
      setLive(false);
    };
    const unwatch = watchPage({ start, stop, again: () => stream?.again() });
    return () => {
      unwatch();
      lists.cancel();
      stop();
    };
  }, [client]);
}

function callOnce(): void {
  apiBrowser('/api/messages/unread/count').catch(() => {});
}

/** Starts while the page is visible, stops some time after it is hidden, and reconnects when the network comes or goes. */
function watchPage({ start, stop, again }: Record<'start' | 'stop' | 'again', () => void>): () => void {
  let leaving: ReturnType<typeof setTimeout> | undefined;
  const followVisibility = () => {
    clearTimeout(leaving);
    if (document.visibilityState === 'visible') start();
    else leaving = setTimeout(stop, HIDDEN_MS);
  };
  followVisibility();
  document.addEventListener('visibilitychange', followVisibility);
  window.addEventListener('online', again);
  window.addEventListener('offline', again);
  return () => {
    clearTimeout(leaving);
    document.removeEventListener('visibilitychange', followVisibility);
    window.removeEventListener('online', again);
    window.removeEventListener('offline', again);
  };
}

function applyEvent(client: QueryClient, { event, data }: ServerEvent, lists: () => void): void {
  const update: unknown = JSON.parse(data);
  if (event === 'message') {
    const { chain_id, message } = update as { chain_id: number; message: Message };
    recordArrival(message);
    const [stable = message] = reuseSignedUrls([message], Date.now());
    client.setQueryData(keys.chain(chain_id), (data: LoadedChain) => withMessage(data, stable));
    lists();
  } else if (event === 'unread') {
    client.setQueryData<UnreadCount>(keys.unread, update as UnreadCount);
    lists();
  } else if (event === 'chain') {
    void client.invalidateQueries({ queryKey: keys.chain((update as { chain_id: number }).chain_id) });
    lists();
  } else if (event === 'case') {
    reportCaseChange((update as { case_id: number }).case_id);
  } else if (event === 'resync') {
    reportCaseChange(null);
    void client.invalidateQueries();
  }
}
