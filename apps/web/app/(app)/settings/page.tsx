import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { PageFrame } from '../../../components/page-frame.tsx';
import { SignOutButton } from '../../../components/sign-out-button.tsx';
import { ThemeChoice } from '../../../components/theme-choice.tsx';
import { knownTheme, preferenceCookie } from '../../../lib/preferences.ts';
import { requireMe } from '../../../lib/session.ts';
import { roleWords } from '../../../lib/user-types.ts';

export const metadata: Metadata = { title: 'Settings' };

/** What I can choose about this device and this session. */
export default async function SettingsPage() {
  const me = await requireMe();
  const theme = knownTheme((await cookies()).get(preferenceCookie('theme'))?.value);
  return (
    <PageFrame title="Settings" narrow>
      <section className="panel p-5">
        <ThemeChoice initial={theme ?? 'system'} />
      </section>
      <section className="panel mt-4 p-5">
        <h2 className="font-medium">This device</h2>
        <p className="quiet mt-1 mb-4 text-small">
          You are signed in as {me.name}, {roleWords(me.userType).toLowerCase()}. Signing out also removes unsent drafts
          from this device.
        </p>
        <SignOutButton />
      </section>
    </PageFrame>
  );
}
