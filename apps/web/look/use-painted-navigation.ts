'use client';

import { useRouter } from 'next/navigation';
import { startTransition, useCallback, useTransition } from 'react';

/**
 * Navigates after the browser has painted the pending state, which the caller renders from the first value. The router's work
 * would delay that paint on a slow phone.
 * @returns true while the navigation is pending, and a function that starts it.
 */
export function usePaintedNavigation(): [underWay: boolean, go: (href: string) => void] {
  const router = useRouter();
  const [underWay, start] = useTransition();
  const go = useCallback(
    (href: string) =>
      start(async () => {
        await painted();
        startTransition(() => router.push(href));
      }),
    [router],
  );
  return [underWay, go];
}

/** Resolves after the browser's next paint. */
function painted(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
