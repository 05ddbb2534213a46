import type { ReactNode } from 'react';
import { filterInAddress } from '../../../messages/chain-paths.ts';
import { findChains } from '../../../messages/find-chains.ts';
import { Inbox } from '../../../messages/inbox.tsx';
import { currentPath, requireMe } from '../../../session/session.ts';

/** The inbox as a layout, so that the list stays while people move between chains. */
export default async function MessagesLayout({ children }: { children: ReactNode }) {
  const filter = filterInAddress((await currentPath()).split('?')[1] ?? '');
  const [me, chains] = await Promise.all([requireMe(), findChains(filter)]);
  return (
    <Inbox me={me} initial={chains.ok ? { filter, page: chains.data } : undefined}>
      {children}
    </Inbox>
  );
}
