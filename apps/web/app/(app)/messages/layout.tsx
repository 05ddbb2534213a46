import type { ReactNode } from 'react';
import { Inbox } from '../../../components/inbox.tsx';
import { apiServer } from '../../../lib/api-server.ts';
import type { Chain, Page } from '../../../lib/api-shapes.ts';
import { chainsPath } from '../../../lib/chain-paths.ts';
import { requireMe } from '../../../lib/session.ts';

/** The inbox around its chains; the list stays while one goes from chain to chain. */
export default async function MessagesLayout({ children }: { children: ReactNode }) {
  const [me, chains] = await Promise.all([requireMe(), apiServer<Page<Chain>>(chainsPath({}))]);
  return (
    <Inbox me={me} initial={chains.ok ? chains.data : undefined}>
      {children}
    </Inbox>
  );
}
