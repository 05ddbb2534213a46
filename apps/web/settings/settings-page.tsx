import { PASSWORD_MIN, PASSWORD_MIN_WITH_TWO_FACTOR } from '@case-platform/words/limits';
import { listTimeZones } from '@case-platform/words/time-zone-list';
import { findTimeZone } from '@case-platform/words/time-zones';
import { roleWords } from '@case-platform/words/user-types';
import { GeistMono } from 'geist/font/mono';
import { cookies } from 'next/headers';
import { rejectionWords } from '../api/api-error.ts';
import type { Device, EventPreference, Profile, SignInRecord } from '../api/api-shapes.ts';
import { ErrorState } from '../look/error-state.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { parseTheme, readPreference } from '../look/preferences.ts';
import { apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import { AddressChange } from './address-change.tsx';
import { PasswordChange } from './password-change.tsx';
import { PushSettings } from './push-settings.tsx';
import { SignInList } from './sign-in-list.tsx';
import { SignOutButton } from './sign-out-button.tsx';
import { ThemeChoice } from './theme-choice.tsx';
import { TimeZoneChoice } from './time-zone-choice.tsx';
import { TwoFactorPanel } from './two-factor-panel.tsx';

export async function SettingsPage() {
  const me = await requireMe();
  const [profile, signIns, devices, preferences, jar] = await Promise.all([
    apiServer<Profile>('/api/user/me'),
    apiServer<{ data: SignInRecord[] }>('/api/user/me/sign-ins'),
    apiServer<{ data: Device[] }>('/api/notifications/subscriptions'),
    apiServer<{ data: EventPreference[] }>('/api/notifications/preferences'),
    cookies(),
  ]);
  const theme = parseTheme(readPreference(jar, 'theme'));
  const chosen = readPreference(jar, 'chosen-zone');
  const zone = chosen === undefined ? null : (findTimeZone(chosen) ?? 'UTC');
  return (
    <PageFrame title="Settings" narrow>
      <div className={`${GeistMono.variable} grid gap-4`}>
        {profile.ok ? (
          <SignInSettings profile={profile.data} />
        ) : (
          <ErrorState
            title="We couldn’t load your sign-in settings"
            text={rejectionWords(profile) ?? 'Nothing about them has changed. Try again.'}
          />
        )}
        {signIns.ok ? (
          <SignInList records={signIns.data.data} />
        ) : (
          <ErrorState
            title="We couldn’t load your recent sign-ins"
            text={rejectionWords(signIns) ?? 'Nothing about them has changed. Try again.'}
          />
        )}
        {devices.ok && preferences.ok ? (
          <PushSettings userId={me.id} devices={devices.data.data} preferences={preferences.data.data} />
        ) : (
          <ErrorState
            title="We couldn’t load your notifications"
            text={rejectionWords(devices, preferences) ?? 'Nothing about them has changed. Try again.'}
          />
        )}
        <TimeZoneChoice zones={listTimeZones(zone ?? 'UTC')} chosen={zone} />
        <section className="panel p-5">
          <ThemeChoice initial={theme ?? 'system'} />
        </section>
        <section className="panel p-5">
          <h2 className="font-medium">This device</h2>
          <p className="quiet mt-1 mb-4 text-small">
            You’re signed in as {me.name}, {roleWords(me.userType).toLowerCase()}. Signing out stops notifications here and
            deletes unsent messages and unfinished requests from this browser. If you’re signed out automatically, they stay.
          </p>
          <SignOutButton userId={me.id} />
        </section>
      </div>
    </PageFrame>
  );
}

function SignInSettings({ profile }: { profile: Profile }) {
  const { email_address, waiting_address, phone, two_factor_method: method } = profile;
  const current = method === 'app' || method === 'email' || method === 'sms' ? method : null;
  return (
    <>
      <TwoFactorPanel method={current} email={email_address} phone={phone} />
      <AddressChange email={email_address} waiting={waiting_address?.email_address ?? null} />
      <PasswordChange email={email_address} minimum={current === null ? PASSWORD_MIN : PASSWORD_MIN_WITH_TWO_FACTOR} />
    </>
  );
}
