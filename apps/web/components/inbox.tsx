'use client';

import { SquarePen } from 'lucide-react';
import Link from 'next/link';
import { useSelectedLayoutSegment } from 'next/navigation';
import type { ReactNode } from 'react';
import type { Chain, Page } from '../lib/api-shapes.ts';
import type { Me } from '../lib/session-shapes.ts';
import { ChainList } from './chain-list.tsx';

interface Props {
  me: Me;
  initial: Page<Chain> | undefined;
  children: ReactNode;
}

/** The inbox: the list beside the chain on a desk, one of the two on a phone. */
export function Inbox({ me, initial, children }: Props) {
  const open = useSelectedLayoutSegment() !== null;
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
          <div className="pane-scroll">
            <ChainList
              me={me}
              initial={initial}
              emptyText="Here you write with your escrow specialist and the people of your case."
            />
          </div>
        </section>
        <div className="panes-detail">{children}</div>
      </div>
    </main>
  );
}
