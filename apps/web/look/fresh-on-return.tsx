'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { refreshQuietly } from './refresh-quietly.ts';

/** The addresses of files in a page are good for an hour. */
const OLD_AFTER_MS = 30 * 60_000;
/** So that one that could not be refreshed is, long before its addresses end. */
const LOOK_EVERY_MS = 60_000;

/**
 * Refreshes the page when its reader returns to the tab, or the network to them: others may have changed something meanwhile;
 * and now and then while it is looked at.
 */
export function FreshOnReturn() {
  const router = useRouter();
  useEffect(() => {
    let freshAt = Date.now();
    const look = async () => {
      if (document.visibilityState !== 'visible') return;
      if (await refreshQuietly(() => router.refresh())) freshAt = Date.now();
    };
    const lookIfOld = () => {
      if (Date.now() - freshAt >= OLD_AFTER_MS) void look();
    };
    document.addEventListener('visibilitychange', look);
    window.addEventListener('online', look);
    const timer = setInterval(lookIfOld, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('online', look);
    };
  }, [router]);
  return null;
}
