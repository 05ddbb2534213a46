import type { Chain, Home } from '../api/api-shapes.ts';
import { ChainRow } from '../messages/chain-row.tsx';
import type { Me } from '../session/session-shapes.ts';
import { HomeSection } from './home-section.tsx';

const ALL = { href: '/messages', words: 'All messages' };

export function UnreadConversations({ unread, me }: Pick<Home, 'unread'> & { me: Me }) {
  if (unread.length === 0) return null;
  return (
    <HomeSection title="Waiting for you" more={ALL}>
      <Chains chains={unread} me={me} />
    </HomeSection>
  );
}

/** The latest conversations without unread messages, or an empty state if there are no conversations. */
export function RecentConversations({ unread, recent, me }: Pick<Home, 'unread' | 'recent'> & { me: Me }) {
  const others = recent.filter((chain) => unread.every((one) => one.id !== chain.id));
  if (unread.length === 0 && others.length === 0) {
    return (
      <HomeSection title="Conversations">
        <div className="panel empty-state">
          <h3>No messages yet</h3>
          <p>Your escrow specialist is the person to ask about your case, its payments and what comes next.</p>
        </div>
      </HomeSection>
    );
  }
  if (others.length === 0) return null;
  return (
    <HomeSection title="Recent conversations" more={ALL}>
      <Chains chains={others} me={me} />
    </HomeSection>
  );
}

function Chains({ chains, me }: { chains: readonly Chain[]; me: Me }) {
  return (
    <ul className="row-list panel overflow-hidden">
      {chains.map((chain) => (
        <li key={chain.id}>
          <ChainRow chain={chain} me={me} />
        </li>
      ))}
    </ul>
  );
}
