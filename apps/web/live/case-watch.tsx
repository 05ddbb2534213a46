'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useLayoutEffect, useMemo, useRef, useTransition } from 'react';
import { refreshQuietly } from '../look/refresh-quietly.ts';
import { isBehind, isRefreshPending, onCaseChange } from './case-changes.ts';
import { isLive, useLive } from './live-state.ts';
import { throttled } from './throttled.ts';

/** A batch of payments changes many cases at once, so refreshes have this minimum interval. */
const AT_MOST_EVERY_MS = 500;
/** The polling interval while no live events arrive. */
const POLL_EVERY_MS = 60_000;

/**
 * Keeps a page up to date (LIVE-5). Text, choices, and focus stay, and the old page is shown until the new one is ready.
 * @param rendered the snapshot that the page was rendered from.
 */
export function CaseWatch({ caseId, rendered }: { caseId: number | undefined; rendered: string | undefined }) {
  const router = useRouter();
  const live = useLive();
  const [, startTransition] = useTransition();
  const shown = useRef({ caseId, rendered });
  useLayoutEffect(() => {
    shown.current = { caseId, rendered };
  }, [caseId, rendered]);
  const fresh = useMemo(
    () =>
      throttled(
        () => {
          const refresh = () => startTransition(() => router.refresh());
          // Live events come through the server that renders pages, so it can be reached.
          if (isLive()) refresh();
          else void refreshQuietly(refresh);
        },
        AT_MOST_EVERY_MS,
        () => isPageBehind(shown.current),
      ),
    [router],
  );
  useEffect(() => {
    const stop = onCaseChange((isUnknown) => {
      if (isUnknown || (!isRefreshPending() && isPageBehind(shown.current))) fresh.run();
    });
    const refreshIfVisible = () => {
      if (document.visibilityState === 'visible') fresh.run();
    };
    const poll = live ? undefined : setInterval(refreshIfVisible, POLL_EVERY_MS);
    return () => {
      stop();
      fresh.cancel();
      clearInterval(poll);
    };
  }, [live, fresh]);
  useEffect(() => {
    if (!isRefreshPending() && isPageBehind({ caseId, rendered })) fresh.run();
  }, [caseId, rendered, fresh]);
  // The event stream reads this attribute when it opens, which may be before or after this component mounts.
  return <i hidden data-rendered={rendered} />;
}

function isPageBehind({ caseId, rendered }: { caseId: number | undefined; rendered: string | undefined }): boolean {
  return rendered !== undefined && isBehind(rendered, caseId);
}
