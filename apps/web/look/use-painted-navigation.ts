'use client';

import { useRouter } from 'next/navigation';
import { startTransition, useCallback, useTransition } from 'react';

/**
 * Navigation that paints its pending state first: the caller renders it from the first value, and only then the router starts,
 * whose work would delay that paint on a slow phone.
 * @returns whether navigation is pending, and a function that starts it.
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

/** After the browser's next paint. */
function painted(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
