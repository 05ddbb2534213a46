import type { ReactNode } from 'react';
import { Inbox } from '../../../components/inbox.tsx';
import { filterInAddress } from '../../../lib/chain-paths.ts';
import { findChains } from '../../../lib/page-data.ts';
import { currentPath, requireMe } from '../../../lib/session.ts';

/** The inbox around its chains; the list stays while one goes from chain to chain. */
export default async function MessagesLayout({ children }: { children: ReactNode }) {
  const filter = filterInAddress((await currentPath()).split('?')[1] ?? '');
  const [me, chains] = await Promise.all([requireMe(), findChains(filter)]);
  return (
    <Inbox me={me} initial={chains.ok ? { filter, page: chains.data } : undefined}>
      {children}
    </Inbox>
  );
}
