'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useTransition } from 'react';
import { onCaseChange } from './case-changes.ts';
import { useLive } from './live-state.ts';
import { throttled } from './throttled.ts';

/** A batch of payments changes many cases within a moment. */
const AT_MOST_EVERY_MS = 500;
/** While no live events arrive. */
const POLL_EVERY_MS = 60_000;

/**
 * Renders a page of the server anew when a case's money has changed while it is looked at: what is typed, chosen and focused
 * stays, and the old page stands until the new one is there.
 * @param caseId only changes of this case; without it of any.
 */
export function FreshOnChange({ caseId }: { caseId?: number }) {
  const router = useRouter();
  const live = useLive();
  const [, startTransition] = useTransition();
  useEffect(() => {
    const fresh = throttled(() => startTransition(() => router.refresh()), AT_MOST_EVERY_MS);
    const stop = onCaseChange((changed) => {
      if (caseId === undefined || changed === null || changed === caseId) fresh.run();
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
  }, [router, live, caseId]);
  return null;
}
