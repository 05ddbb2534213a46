'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { useUnread } from '../messages/queries.ts';

/** Asks for a page that the server rendered again when something has come or was read since (`rendered`: the count then). */
export function FreshWithUnread({ rendered }: { rendered: number }) {
  const router = useRouter();
  const count = useUnread(undefined).data?.unread_count ?? rendered;
  useEffect(() => {
    if (count !== rendered) router.refresh();
  }, [count, rendered, router]);
  return null;
}
