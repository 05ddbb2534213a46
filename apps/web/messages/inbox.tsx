'use client';

import { SquarePen } from 'lucide-react';
import { useSearchParams, useSelectedLayoutSegment } from 'next/navigation';
import { type ReactNode, useMemo } from 'react';
import type { Chain, Page } from '../api/api-shapes.ts';
import { Link } from '../look/link.tsx';
import { usePaintedNavigation } from '../look/use-painted-navigation.ts';
import type { Me } from '../session/session-shapes.ts';
import { ChainList } from './chain-list.tsx';
import { type ChainFilter, filterAddress, filterInAddress } from './chain-paths.ts';
import { ChainSkeleton } from './chain-skeleton.tsx';
import { InboxFilters, NothingFound } from './inbox-filters.tsx';

interface Props {
  me: Me;
  /** The first page as the server rendered it, and the filter for which it did. */
  initial: { filter: ChainFilter; page: Page<Chain> } | undefined;
  children: ReactNode;
}

/** The inbox, with list and chain side by side on a wide screen and one of them on a phone. The URL decides what is shown. */
export function Inbox({ me, initial, children }: Props) {
  const segment = useSelectedLayoutSegment();
  // A chain that is being loaded shows its skeleton at once. A Suspense boundary (loading.tsx) would do that too, but it would
  // also hide the text of a newly loaded page until its script has run.
  const [opening, openChain] = usePaintedNavigation();
  const open = segment !== null || opening;
  const params = useSearchParams();
  const filter = useMemo(() => filterInAddress(params), [params]);
  const address = filterAddress(filter);
  const isInitial = initial !== undefined && filterAddress(initial.filter) === address;
  const page = isInitial ? initial.page : undefined;
  // Memoized, because rendering the list again would delay the skeleton of a chain that opens beside it.
  const list = useMemo(
    () => (
      <>
        <InboxFilters filter={filter} />
        <div className="pane-scroll">
          <ChainList
            me={me}
            filter={filter}
            keepsFilter
            onOpen={openChain}
            initial={page}
            emptyText="This is where you write with your escrow specialist and the people on your case."
            nothingFound={address === '' ? undefined : <NothingFound filter={filter} />}
          />
        </div>
      </>
    ),
    [me, filter, address, page, openChain],
  );
  return (
    <main id="main" className="shell-main is-flush" tabIndex={-1}>
      <div className="panes" data-open={open ? '' : undefined}>
        <section className="panes-list" aria-label="Conversations">
          <header className="pane-header">
            <div>{open ? <h2 className="pane-title">Messages</h2> : <h1 className="pane-title">Messages</h1>}</div>
            <Link className="btn btn-primary btn-sm" href="/messages/new">
              <SquarePen size={16} aria-hidden="true" />
              Write
            </Link>
          </header>
          {list}
        </section>
        <div className="panes-detail">
          {opening && <ChainSkeleton />}
          <div className={opening ? 'hidden' : 'contents'}>{children}</div>
        </div>
      </div>
    </main>
  );
}
