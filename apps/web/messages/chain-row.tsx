'use client';

import { toApiUserType } from '@case-platform/words/user-types';
import type { Chain } from '../api/api-shapes.ts';
import { Time } from '../look/clock.tsx';
import { Link } from '../look/link.tsx';
import { Avatar } from '../look/person.tsx';
import type { Me } from '../session/session-shapes.ts';
import { chainTitle, chainWith, othersIn } from './chain-words.ts';

interface Props {
  chain: Chain;
  me: Me;
  current?: boolean;
  /** The filter of its list as a URL query, which the link keeps. */
  search?: string;
  /** Replaces the link's own navigation. */
  onOpen?: ((href: string) => void) | undefined;
}

/**
 * One conversation in a list. It is not memoized: server pages render it too, and on a refresh React replaces the elements of a
 * memoized component that came from the server, which loses the focus.
 */
export function ChainRow({ chain, me, current = false, search = '', onOpen }: Props) {
  const href = `/messages/${chain.id}${search}`;
  const reader = { id: me.id, type: toApiUserType(me.userType) };
  const others = othersIn(chain, reader);
  const unread = chain.unread_count > 0;
  const last = chain.last_message;
  const title = chainTitle(chain, reader);
  const people = chainWith(chain, reader);
  const mine = last.from_id === reader.id && last.from_type === reader.type;
  return (
    <Link
      href={href}
      className={`list-row ${unread ? 'is-unread' : ''}`}
      onNavigate={(event) => {
        if (onOpen === undefined) return;
        event.preventDefault();
        onOpen(href);
      }}
      aria-current={current ? 'page' : undefined}
    >
      <span className="row-lead">
        <Avatar name={others[0]?.name ?? ''} staff={others.every((one) => one.user_type === 'admin')} />
      </span>
      <span className="row-who">{title}</span>
      <span className="row-when">
        <Time at={last.created_at} />
      </span>
      <span className="row-what">
        {mine && <span className="quiet">You: </span>}
        {last.preview || <em>Message taken back</em>}
      </span>
      {unread && (
        <span className="row-state">
          <span className="unread-badge">
            <span aria-hidden="true">{chain.unread_count}</span>
            <span className="sr-only">{chain.unread_count} unread</span>
          </span>
        </span>
      )}
      <span className="row-note">
        {[title === people ? '' : people, chain.status === 'closed' ? 'Closed' : ''].filter(Boolean).join(' · ')}
      </span>
    </Link>
  );
}
