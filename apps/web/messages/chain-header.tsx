'use client';

import { useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, Mail } from 'lucide-react';
import { useRouter, useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { apiBrowser } from '../api/api-browser.ts';
import { errorMessage } from '../api/api-error.ts';
import type { Chain } from '../api/api-shapes.ts';
import { Link } from '../look/link.tsx';
import { usePaintedNavigation } from '../look/use-painted-navigation.ts';
import { filterAddress, filterInAddress } from './chain-paths.ts';
import { chainTitle, nameAndRole, othersIn, roleInChain } from './chain-words.ts';
import { keys } from './queries.ts';
import { waitForViewedMark } from './use-viewed.ts';

interface Props {
  chain: Chain;
  reader: { id: number; type: string };
  /** True if the chain has a message that can be marked as unread. */
  canBeUnread: boolean;
  /** Called with true before the chain is marked as unread, so that visible messages are not marked as viewed again. */
  onLeave: (leaving: boolean) => void;
}

export function ChainHeader({ chain, reader, canBeUnread, onLeave }: Props) {
  const list = `/messages${filterAddress(filterInAddress(useSearchParams()))}`;
  const router = useRouter();
  const unread = useMarkUnread(chain.id, onLeave, () => router.push(list));
  const others = othersIn(chain, reader);
  const [leaving, leave] = usePaintedNavigation();
  return (
    <>
      <header className="pane-header">
        <Link
          className="btn btn-ghost btn-square -ms-2 lg:hidden"
          href={list}
          aria-label="Back to all messages"
          aria-busy={leaving}
          onNavigate={(event) => {
            event.preventDefault();
            leave(list);
          }}
        >
          <ArrowLeft size={22} aria-hidden="true" />
        </Link>
        <hgroup>
          <h1 id="chain-title" className="pane-title" dir="auto">
            {chainTitle(chain, reader)}
          </h1>
          <p className="pane-note">
            {others.length === 0
              ? 'With your escrow team'
              : others.map((one) => nameAndRole(one.name, roleInChain(one, chain))).join(' · ')}
          </p>
        </hgroup>
        {chain.status === 'closed' && <span className="state-pill">Closed</span>}
        {canBeUnread && (
          <button type="button" className="btn btn-ghost btn-sm max-lg:btn-square" disabled={unread.busy} onClick={unread.mark}>
            <Mail size={20} aria-hidden="true" />
            <span className="max-lg:sr-only">{unread.problem !== null ? 'Try again' : 'Mark as unread'}</span>
          </button>
        )}
      </header>
      <p className="field-error px-4 py-2 empty:hidden" role="alert">
        {unread.problem === null ? '' : `We couldn’t mark this conversation as unread. ${unread.problem}`}
      </p>
    </>
  );
}

/** @param lead opens the list. It is not called if the person has left the chain meanwhile. */
function useMarkUnread(chainId: number, onLeave: (leaving: boolean) => void, lead: () => void) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const mark = async () => {
    setBusy(true);
    setProblem(null);
    onLeave(true);
    try {
      await waitForViewedMark();
      await apiBrowser(`/api/messages/${chainId}/unread`, { method: 'POST' });
    } catch (error) {
      onLeave(false);
      setBusy(false);
      return setProblem(errorMessage(error));
    }
    void client.invalidateQueries({ queryKey: keys.chain(chainId), refetchType: 'none' });
    void client.invalidateQueries({ queryKey: keys.allChains });
    void client.invalidateQueries({ queryKey: keys.unread });
    // The button stays busy until the list is shown.
    if (isHere.current) lead();
  };
  return { busy, problem, mark };
}
