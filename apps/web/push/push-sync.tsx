'use client';

import { useEffect } from 'react';

/** Once a page is idle: registers the service worker and repairs this browser's subscription. */
export function PushSync({ userId }: { userId: number }) {
  useEffect(() => whenIdle(() => void settle(userId)), [userId]);
  return null;
}

/** What fails here is tried again with the next page; nothing that a person waits for depends on it. */
async function settle(userId: number): Promise<void> {
  try {
    const { registerServiceWorker } = await import('./service-worker.ts');
    await registerServiceWorker();
    // Without permission there is no subscription, and its code is not fetched either.
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
