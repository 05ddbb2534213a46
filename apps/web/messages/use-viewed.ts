import 'client-only';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiBrowser } from '../api/api-browser.ts';
import type { Message } from '../api/api-shapes.ts';
import { firstUnread } from './chain-items.ts';
import { type LoadedChain, withViewed } from './loaded-chain.ts';
import { keys } from './queries.ts';

interface Watched {
  chainId: number;
  messages: readonly Message[];
  reader: { id: number; type: string };
  /** True while the newest message is scrolled into view. */
  inSight: boolean;
}

/** The last request that marks messages as viewed. */
let marking: Promise<unknown> = Promise.resolve();

/** Settles once the last mark is recorded. A chain that is marked as unread before that would become viewed again. */
export function waitForViewedMark(): Promise<unknown> {
  return marking;
}

/** Marks the messages of a chain as viewed once they are in view on a page in the foreground. */
export function useViewed({ chainId, messages, reader, inSight }: Watched): void {
  const client = useQueryClient();
  const newest = messages.at(-1)?.id;
  const unread = inSight && firstUnread(messages, reader) !== null;
  useEffect(() => {
    if (!unread || newest === undefined) return;
    const mark = async () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', mark);
      const request = apiBrowser(`/api/messages/${chainId}/viewed`, {
        method: 'POST',
        body: { up_to_message_id: newest },
      });
      marking = request.catch(() => undefined);
      try {
        await request;
      } catch {
        // The chain stays unread until it is viewed again.
        return;
      }
      const at = new Date().toISOString();
      client.setQueryData(keys.chain(chainId), (data: LoadedChain) => withViewed(data, newest, at));
      void client.invalidateQueries({ queryKey: keys.unread });
      void client.invalidateQueries({ queryKey: keys.allChains });
    };
    document.addEventListener('visibilitychange', mark);
    void mark();
    return () => document.removeEventListener('visibilitychange', mark);
  }, [chainId, newest, unread, client]);
}
