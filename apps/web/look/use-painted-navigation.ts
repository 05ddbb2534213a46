'use client';

import { useRouter } from 'next/navigation';
import { startTransition, useCallback, useTransition } from 'react';

/**
 * Navigation that shows where it leads before it begins: whoever calls draws that from the first value, and only then the
 * router works, which would keep the drawing back on a slow phone.
 * @returns whether it is under way, and what begins it.
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

/** Once the browser has drawn what is there now. */
function painted(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
