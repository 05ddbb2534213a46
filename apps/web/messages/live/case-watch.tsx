'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useLayoutEffect, useMemo, useRef, useTransition } from 'react';
import { refreshQuietly } from '../../look/refresh-quietly.ts';
import { isBehind, isRefreshPending, onCaseChange } from './case-changes.ts';
import { isLive, useLive } from './live-state.ts';
import { throttled } from './throttled.ts';

/** A batch of payments changes many cases within a moment. */
const AT_MOST_EVERY_MS = 500;
/** While no live events arrive. */
const POLL_EVERY_MS = 60_000;

/**
 * Keeps a page as it is now: what is typed, chosen and focused stays, and the old page stands until the new one is there.
 * @param rendered as of when the page shows its cases.
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
          // What live events come through is what renders pages.
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
    const look = () => {
      if (document.visibilityState === 'visible') fresh.run();
    };
    const poll = live ? undefined : setInterval(look, POLL_EVERY_MS);
    return () => {
      stop();
      fresh.cancel();
      clearInterval(poll);
    };
  }, [live, fresh]);
  useEffect(() => {
    if (!isRefreshPending() && isPageBehind({ caseId, rendered })) fresh.run();
  }, [caseId, rendered, fresh]);
  // Read by the stream when it is opened, whichever of the two comes first.
  return <i hidden data-rendered={rendered} />;
}

function isPageBehind({ caseId, rendered }: { caseId: number | undefined; rendered: string | undefined }): boolean {
  return rendered !== undefined && isBehind(rendered, caseId);
}
