'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { chainsWithOutgoing } from './drafts.ts';

/**
 * Sends the messages that an earlier page of this person could not: on whichever page they come back to, and when the network
 * comes back to that.
 */
export function LeftOver({ userId }: { userId: number }) {
  const client = useQueryClient();
  useEffect(() => {
    const look = async () => {
      if (chainsWithOutgoing(userId).length === 0) return;
      try {
        const { sendLeftOver } = await import('./outbox.ts');
        sendLeftOver(userId, client);
      } catch {
        // Its code could not be fetched: the next page, or the network's return, tries again.
      }
    };
    void look();
    window.addEventListener('online', look);
    return () => window.removeEventListener('online', look);
  }, [userId, client]);
  return null;
}
