import 'client-only';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiBrowser, openEvents } from '../../api/api-browser.ts';
import type { Message, UnreadCount } from '../../api/api-shapes.ts';
import { type LoadedChain, noteArrived, withMessage } from '../loaded-chain.ts';
import { keys } from '../queries.ts';
import { keepSignedUrls } from '../signed-urls.ts';
import { noteCaseChange } from './case-changes.ts';
import type { ServerEvent } from './event-parser.ts';
import { followEvents } from './follow-events.ts';
import { setLive } from './live-state.ts';
import { throttled } from './throttled.ts';

const EVENTS = '/api/messages/events';
/** A hidden tab closes its connection after this time: browsers allow six per server over HTTP/1.1. */
const HIDDEN_MS = 60_000;
/** Lists are refetched at most this often. */
const LISTS_EVERY_MS = 500;

/**
 * Keeps this tab up to date through one event stream. While there is none (reconnecting, or refused) the queries poll
 * (`useLive`); a tab that returns to the foreground catches up.
 */
export function useLiveUpdates(): void {
  const client = useQueryClient();
  useEffect(() => {
    const lists = throttled(() => void client.invalidateQueries({ queryKey: keys.allChains }), LISTS_EVERY_MS);
    let followed: ReturnType<typeof followEvents> | null = null;
    let lastId: string | undefined;
    const start = () => {
      followed ??= followEvents({
        since: lastId,
        open: (lastId, signal) => openEvents(EVENTS, { lastId, rendered: pageAsOf() }, signal),
        onEvent: (event) => {
          // Fetches what was written between rendering this page and its first event.
          if (lastId === undefined) void client.invalidateQueries({ queryKey: keys.allOpened });
          lastId = event.id ?? lastId;
          applyEvent(client, event, lists.run);
        },
        onState: (state) => {
          setLive(state === 'live');
          // What a call's refusal says about the session is dealt with in one place (`refusal`).
          if (typeof state === 'object') askOnce();
        },
      });
    };
    const stop = () => {
      followed?.stop();
      followed = null;
      setLive(false);
    };
    const unwatch = watchPage({ start, stop, again: () => followed?.again() });
    return () => {
      unwatch();
      lists.cancel();
      stop();
    };
  }, [client]);
}

/** As of when the page was rendered that stands there now: what has changed since is told first. */
function pageAsOf(): string | undefined {
  return document.querySelector<HTMLElement>('[data-rendered]')?.dataset.rendered;
}

function askOnce(): void {
  apiBrowser('/api/messages/unread/count').catch(() => {});
}

/** Starts while the page is looked at, stops a while after it is not, and opens anew when the network comes back. */
function watchPage({ start, stop, again }: Record<'start' | 'stop' | 'again', () => void>): () => void {
  let leaving: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(leaving);
    if (document.visibilityState === 'visible') start();
    else leaving = setTimeout(stop, HIDDEN_MS);
  };
  look();
  document.addEventListener('visibilitychange', look);
  window.addEventListener('online', again);
  window.addEventListener('offline', again);
  return () => {
    clearTimeout(leaving);
    document.removeEventListener('visibilitychange', look);
    window.removeEventListener('online', again);
    window.removeEventListener('offline', again);
  };
}

function applyEvent(client: QueryClient, { event, data }: ServerEvent, lists: () => void): void {
  const update: unknown = JSON.parse(data);
  if (event === 'message') {
    const { chain_id, message } = update as { chain_id: number; message: Message };
    noteArrived(message);
    const [kept = message] = keepSignedUrls([message], Date.now());
    client.setQueryData(keys.chain(chain_id), (known: LoadedChain) => withMessage(known, kept));
    lists();
  } else if (event === 'unread') {
    client.setQueryData<UnreadCount>(keys.unread, update as UnreadCount);
    lists();
  } else if (event === 'chain') {
    void client.invalidateQueries({ queryKey: keys.chain((update as { chain_id: number }).chain_id) });
    lists();
  } else if (event === 'case') {
    const { case_id: caseId, changed_in: changedIn } = update as { case_id: number; changed_in: string };
    noteCaseChange({ caseId, changedIn });
  } else if (event === 'resync') {
    noteCaseChange(null);
    void client.invalidateQueries();
  }
}
