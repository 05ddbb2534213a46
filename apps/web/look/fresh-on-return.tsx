'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

/** Has the page drawn again when its reader comes back to it: meanwhile others may have decided. */
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
