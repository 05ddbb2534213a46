'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Refreshes the page when its reader returns to the tab: others may have changed something meanwhile. */
export function FreshOnReturn() {
  const router = useRouter();
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') router.refresh();
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [router]);
  return null;
}
