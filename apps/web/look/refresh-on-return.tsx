'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { refreshQuietly } from './refresh-quietly.ts';

/** The signed URLs in a page work for an hour (FILE-4), so a page is refreshed after half of that. */
const OLD_AFTER_MS = 30 * 60_000;
/** A refresh that failed is tried again this often, so that it succeeds long before the URLs expire. */
const LOOK_EVERY_MS = 60_000;

/**
 * Refreshes the page when its reader returns to the tab or the network comes back, because others may have changed something.
 * It also refreshes a visible page before its signed URLs expire.
 */
export function RefreshOnReturn() {
  const router = useRouter();
  useEffect(() => {
    let freshAt = Date.now();
    const refresh = async () => {
      if (document.visibilityState !== 'visible') return;
      if (await refreshQuietly(() => router.refresh())) freshAt = Date.now();
    };
    const refreshIfOld = () => {
      if (Date.now() - freshAt >= OLD_AFTER_MS) void refresh();
    };
    document.addEventListener('visibilitychange', refresh);
    window.addEventListener('online', refresh);
    const timer = setInterval(refreshIfOld, LOOK_EVERY_MS);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refresh);
      window.removeEventListener('online', refresh);
    };
  }, [router]);
  return null;
}
