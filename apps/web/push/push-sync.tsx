'use client';

import { useEffect } from 'react';

/** Once a page has settled: puts the service worker in place and brings this browser's subscription into step. */
export function PushSync({ userId }: { userId: number }) {
  useEffect(() => whenIdle(() => void settle(userId)), [userId]);
  return null;
}

/** What fails here is tried again with the next page; nothing that a person waits for depends on it. */
async function settle(userId: number): Promise<void> {
  try {
    const [{ registerServiceWorker }, { syncPush }] = await Promise.all([
      import('./service-worker.ts'),
      import('./push-device.ts'),
    ]);
    await registerServiceWorker();
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
