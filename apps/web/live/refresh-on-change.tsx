'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useMemo, useRef, useTransition } from 'react';
import { refreshQuietly } from '../look/refresh-quietly.ts';
import { markPagesStale, takeStalePages, watchCases } from './case-changes.ts';
import { isLive, useLive } from './live-state.ts';
import { throttled } from './throttled.ts';

/** A batch of payments changes many cases at once, so refreshes have this minimum interval. */
const AT_MOST_EVERY_MS = 500;
/** The polling interval while no live events arrive. */
const POLL_EVERY_MS = 60_000;

/**
 * Refreshes a server-rendered page on each change of a case's money or requests (LIVE-5), and when a stream of events cannot say
 * what changed since the page was requested (LIVE-8). Text, choices, and focus stay, and the old page is shown until the new one
 * is ready.
 * @param caseId limits this to changes of one case.
 */
export function RefreshOnChange({ caseId }: { caseId?: number }) {
  const router = useRouter();
  const live = useLive();
  const [isRefreshing, startTransition] = useTransition();
  const wasRefreshing = useRef(false);
  useEffect(() => {
    wasRefreshing.current = isRefreshing;
  }, [isRefreshing]);
  const fresh = useMemo(
    () =>
      throttled(() => {
        const refresh = () => startTransition(() => router.refresh());
        // Live events come through the server that renders pages, so it can be reached.
        if (isLive()) refresh();
        else void refreshQuietly(refresh);
      }, AT_MOST_EVERY_MS),
    [router],
  );
  useEffect(
    () =>
      watchCases((changedCaseId) => {
        const isShown = caseId === undefined || changedCaseId === null || changedCaseId === caseId;
        if (isShown) fresh.run();
        return isShown;
      }),
    [caseId, fresh],
  );
  useEffect(() => {
    if (live) return;
    const poll = setInterval(() => document.visibilityState === 'visible' && fresh.run(), POLL_EVERY_MS);
    return () => clearInterval(poll);
  }, [live, fresh]);
  useEffect(() => {
    if (takeStalePages()) fresh.run();
    return () => {
      // Navigation drops a refresh that is waiting or under way.
      if (fresh.cancel() || wasRefreshing.current) markPagesStale();
    };
  }, [fresh]);
  return null;
}
