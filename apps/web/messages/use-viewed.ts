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
  /** Whether the newest message is visible on a page in the foreground. */
  inSight: boolean;
}

/** What is being marked as viewed at the moment. */
let marking: Promise<unknown> = Promise.resolve();

/** Settles once what was marked as viewed is recorded: what is marked as unread before that would become viewed again. */
export function viewedIsRecorded(): Promise<unknown> {
  return marking;
}

/** Marks visible messages as viewed once the page is in the foreground. */
export function useViewed({ chainId, messages, reader, inSight }: Watched): void {
  const client = useQueryClient();
  const newest = messages.at(-1)?.id;
  const unread = inSight && firstUnread(messages, reader) !== null;
  useEffect(() => {
    if (!unread || newest === undefined) return;
    const mark = async () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', mark);
      const marked = apiBrowser(`/api/messages/${chainId}/viewed`, {
        method: 'POST',
        body: { up_to_message_id: newest },
      });
      marking = marked.catch(() => undefined);
      try {
        await marked;
      } catch {
        // It simply stays unread until the chain is viewed again.
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
