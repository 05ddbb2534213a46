import { roleWords } from '@case-platform/words/user-types';
import type { ReactNode } from 'react';
import { BrandLine } from '../look/brand.tsx';
import { Link } from '../look/link.tsx';
import { Avatar, PersonLine } from '../look/person.tsx';
import { LeftOver } from '../messages/compose/left-over.tsx';
import { findUnread, prefetchPage } from '../messages/find-chains.ts';
import { PushSync } from '../push/push-sync.tsx';
import { currentPath, requireMe } from '../session/session.ts';
import { IdentityDialog } from '../sign-in/identity-dialog.tsx';
import { PageBoundary } from './page-boundary.tsx';
import { Providers } from './providers.tsx';
import { Reader } from './reader.tsx';
import { ShellNav } from './shell-nav.tsx';
import { VisitWatch } from './visit-watch.tsx';

export async function AppFrame({ children }: { children: ReactNode }) {
  const me = await requireMe();
  prefetchPage(await currentPath());
  const unread = await findUnread();
  const role = roleWords(me.userType);
  const staff = me.userType === 'admin';
  return (
    <Providers>
      {/* The browser must send the session cookie for the manifest, because its path is not open without one (WEB-2). */}
      <link rel="manifest" href="/manifest.webmanifest" crossOrigin="use-credentials" />
      <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
      <Reader userId={me.id} />
      <LeftOver userId={me.id} />
      <PushSync userId={me.id} />
      <VisitWatch userId={me.id} userType={me.userType} />
      <IdentityDialog />
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <div className="shell">
        <header className="shell-top">
          <Link className="shell-brand" href="/">
            <BrandLine />
          </Link>
          <Link className="person" href="/profile">
            <span className="person-role">{role}</span>
            <Avatar name={me.name} staff={staff} small />
            <span className="sr-only">{me.name}, your profile</span>
          </Link>
        </header>
        <aside className="shell-side">
          <Link className="shell-brand" href="/">
            <BrandLine />
          </Link>
          <ShellNav unread={unread.ok ? unread.data : undefined} />
          <div className="shell-me">
            <PersonLine name={me.name} note={role} staff={staff} />
          </div>
        </aside>
        <PageBoundary>{children}</PageBoundary>
      </div>
    </Providers>
  );
}
