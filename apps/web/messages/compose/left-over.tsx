'use client';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { chainsWithOutgoing } from '../../drafts/drafts.ts';

/**
 * Sends the messages that an earlier document of this person left unsent, on any page and again when the network comes back
 * (OUTBOX-1).
 */
export function LeftOver({ userId }: { userId: number }) {
  const client = useQueryClient();
  useEffect(() => {
    const resume = async () => {
      const chains = chainsWithOutgoing(userId);
      if (chains.length === 0) return;
      try {
        const { outboxOf } = await import('./outbox.ts');
        for (const chainId of chains) outboxOf(userId, chainId, client);
      } catch {
        // The code could not be fetched. The next page load, or the return of the network, tries again.
      }
    };
    void resume();
    window.addEventListener('online', resume);
    return () => window.removeEventListener('online', resume);
  }, [userId, client]);
  return null;
}
