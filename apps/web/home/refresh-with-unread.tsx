'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { refreshQuietly } from '../look/refresh-quietly.ts';
import { useUnread } from '../messages/queries.ts';

/** Refreshes a server-rendered page when the unread count differs from the `rendered` one. */
export function RefreshWithUnread({ rendered }: { rendered: number }) {
  const router = useRouter();
  const count = useUnread(undefined).data?.unread_count ?? rendered;
  useEffect(() => {
    if (count !== rendered) void refreshQuietly(() => router.refresh());
  }, [count, rendered, router]);
  return null;
}
