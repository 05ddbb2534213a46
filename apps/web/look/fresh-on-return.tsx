'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { refreshQuietly } from './refresh-quietly.ts';

/** Refreshes the page when its reader returns to the tab, or the network to them: others may have changed something meanwhile. */
export function FreshOnReturn() {
  const router = useRouter();
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') void refreshQuietly(() => router.refresh());
    };
    document.addEventListener('visibilitychange', look);
    window.addEventListener('online', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('online', look);
    };
  }, [router]);
  return null;
}
