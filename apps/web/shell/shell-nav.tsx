'use client';

import { BriefcaseMedical, HandCoins, House, type LucideIcon, MessagesSquare, Settings, UserRound } from 'lucide-react';
import { usePathname, useRouter } from 'next/navigation';
import { useEffect } from 'react';
import type { UnreadCount } from '../api/api-shapes.ts';
import { Link } from '../look/link.tsx';
import { useUnread } from '../messages/queries.ts';
import { useLiveUpdates } from '../messages/use-live-updates.ts';
import { useTitleCount } from './use-title-count.ts';

const PLACES = [
  { href: '/', words: 'Home', Icon: House },
  { href: '/messages', words: 'Messages', Icon: MessagesSquare },
  { href: '/disbursements', words: 'Requests', Icon: HandCoins },
  { href: '/cases', words: 'Cases', Icon: BriefcaseMedical },
  { href: '/profile', words: 'Profile', Icon: UserRound, deskOnly: true },
  { href: '/settings', words: 'Settings', Icon: Settings },
] as const satisfies { href: string; words: string; Icon: LucideIcon; deskOnly?: boolean }[];

/** The main navigation: a list in the sidebar, or a bar at the bottom of a phone, where the profile is at the top. */
export function ShellNav({ unread: initial }: { unread: UnreadCount | undefined }) {
  const pathname = usePathname();
  const router = useRouter();
  // Prefetched once, so that the first tap shows the skeleton at once, unless the reader's device saves data.
  useEffect(() => {
    if (savesData()) return;
    for (const { href } of PLACES) router.prefetch(href);
  }, [router]);
  useLiveUpdates();
  const count = useUnread(initial).data?.unread_count ?? 0;
  useTitleCount(count);
  return (
    <nav className="shell-nav" aria-label="Main">
      {PLACES.map(({ href, words, Icon, ...place }) => (
        <Link
          key={href}
          href={href}
          className={`shell-link ${'deskOnly' in place ? 'is-desk-only' : ''}`}
          aria-current={isAt(pathname, href) ? 'page' : undefined}
        >
          <Icon aria-hidden="true" />
          <span>{words}</span>
          {href === '/messages' && count > 0 && (
            <span className="unread-badge">
              <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
              <span className="sr-only">{count} unread</span>
            </span>
          )}
        </Link>
      ))}
      <span className="sr-only" role="status">
        {count > 0 ? unreadWords(count) : ''}
      </span>
    </nav>
  );
}

/** Reads the browser's setting for saving data, which not every browser has. */
function savesData(): boolean {
  return (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;
}

function isAt(pathname: string, href: string): boolean {
  return href === '/' ? pathname === '/' : pathname === href || pathname.startsWith(`${href}/`);
}

function unreadWords(count: number): string {
  return count === 1 ? 'You have one unread message' : `You have ${count} unread messages`;
}
