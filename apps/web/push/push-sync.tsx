'use client';

import { useEffect } from 'react';

/** Registers the service worker and repairs this browser's subscription once the page is idle. */
export function PushSync({ userId }: { userId: number }) {
  useEffect(() => whenIdle(() => void settle(userId)), [userId]);
  return null;
}

/** Errors are ignored, because the next page tries again and no visible part of a page depends on this. */
async function settle(userId: number): Promise<void> {
  try {
    const { registerServiceWorker } = await import('./service-worker.ts');
    await registerServiceWorker();
    // Without permission there is no subscription, so the code for it is not loaded.
    if (!('Notification' in window) || Notification.permission !== 'granted') return;
    const { syncPush } = await import('./push-device.ts');
    await syncPush(userId);
  } catch {
    return;
  }
}

function whenIdle(work: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 1000);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: 5000 });
  return () => cancelIdleCallback(handle);
}
