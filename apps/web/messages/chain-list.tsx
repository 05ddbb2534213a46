'use client';

import { MessagesSquare, SearchX } from 'lucide-react';
import { useSelectedLayoutSegment } from 'next/navigation';
import { memo, type ReactNode } from 'react';
import { ApiError, rejectionWords } from '../api/api-error.ts';
import type { Chain, Page } from '../api/api-shapes.ts';
import { ErrorState } from '../look/error-state.tsx';
import { Link } from '../look/link.tsx';
import { RowsSkeleton } from '../look/rows-skeleton.tsx';
import type { Me } from '../session/session-shapes.ts';
import { type ChainFilter, filterAddress } from './chain-paths.ts';
import { ChainRow } from './chain-row.tsx';
import { MoreButton } from './more-button.tsx';
import { useChains } from './queries.ts';

/** Every live update renders the list again. */
const MemoizedRow = memo(ChainRow);

interface Props {
  me: Me;
  filter?: ChainFilter;
  initial: Page<Chain> | undefined;
  /** The text of an empty list. */
  emptyText: string;
  newHref?: string;
  /** Shown instead of the empty state if a filter or search is set. */
  nothingFound?: ReactNode;
  /** True if links to chains keep the filter in their URL. */
  keepsFilter?: boolean;
  /** Replaces the link's own navigation. */
  onOpen?: (href: string) => void;
}

export function ChainList({
  me,
  filter = {},
  initial,
  emptyText,
  newHref = '/messages/new',
  nothingFound,
  keepsFilter = false,
  onOpen,
}: Props) {
  const search = keepsFilter ? filterAddress(filter) : '';
  const segment = useSelectedLayoutSegment();
  const { data, error, isPending, isPlaceholderData, refetch, ...more } = useChains(filter, initial);
  const { fetchNextPage, hasNextPage, isFetchingNextPage, isFetchNextPageError } = more;
  const chains = uniqueChains(data?.pages ?? []);
  if (isPending) return <RowsSkeleton />;
  const searchProblem = error instanceof ApiError ? error.fields.q : undefined;
  if (searchProblem !== undefined) return <SearchProblem text={searchProblem} />;
  if (data === undefined && error !== null) {
    return (
      <ErrorState
        title="We couldn’t load your messages"
        text={rejectionWords(error) ?? 'They are safe. Try again.'}
        onRetry={() => refetch()}
      />
    );
  }
  if (chains.length === 0 && nothingFound !== undefined) return nothingFound;
  if (chains.length === 0) {
    return (
      <div className="empty-state">
        <MessagesSquare aria-hidden="true" />
        <h2>No messages yet</h2>
        <p>{emptyText}</p>
        <Link className="btn btn-primary" href={newHref}>
          Write a message
        </Link>
      </div>
    );
  }
  return (
    <>
      <ul className={`row-list ${isPlaceholderData ? 'opacity-60' : ''}`} aria-busy={isPlaceholderData}>
        {chains.map((chain) => (
          <li key={chain.id}>
            <MemoizedRow chain={chain} me={me} current={segment === String(chain.id)} search={search} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <MoreButton
          words="Show more"
          error={isFetchNextPageError ? error : null}
          busy={isFetchingNextPage}
          onMore={() => void fetchNextPage()}
        />
      )}
    </>
  );
}

/** A search with a day that does not exist. */
function SearchProblem({ text }: { text: string }) {
  return (
    <div className="empty-state" role="alert">
      <SearchX aria-hidden="true" />
      <h2>Check your search</h2>
      <p>{text}</p>
    </div>
  );
}

/** Lists a chain that moved up while more pages were loading only once, at its newest position. */
function uniqueChains(pages: readonly Page<Chain>[]): Chain[] {
  const byId = new Map<number, Chain>();
  for (const page of pages) for (const chain of page.data) if (!byId.has(chain.id)) byId.set(chain.id, chain);
  return [...byId.values()];
}
