import { DEMO_PEOPLE } from '@case-platform/words/sign-in/demo-people';
import { cookies } from 'next/headers';
import { redirect } from 'next/navigation';
import { serverEnvironment } from '../api/server-environment.ts';
import { Notice } from '../look/notice.tsx';
import { readPreference } from '../look/preferences.ts';
import { safeCallback } from '../session/safe-callback.ts';
import { currentSession } from '../session/session.ts';
import { readChallenge } from '../session/two-factor-cookie.ts';
import { LoginFlow } from './login-flow.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import { parseRole } from './sign-in-roles.ts';

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export async function LoginPage({ searchParams }: Props) {
  const { callbackUrl, session: reason, reset, role } = await searchParams;
  const [session, challenge, jar] = await Promise.all([currentSession(), readChallenge(), cookies()]);
  const back = safeCallback(callbackUrl);
  const ended = session?.tokenError !== undefined || reason === 'ended';
  if (session !== null && !ended) redirect(back);
  const { staffSignInUrl, offersDemoPeople } = serverEnvironment();
  const staffLink =
    staffSignInUrl === undefined ? undefined : (
      <>
        Escrow company staff?{' '}
        <a className="link" href={staffSignInUrl}>
          Go to the staff application
        </a>
      </>
    );
  return (
    <SignInFrame isPanel={false} foot={staffLink}>
      <LoginFlow
        back={back}
        role={parseRole(role) ?? parseRole(readPreference(jar, 'role'))}
        challenge={challenge === null ? null : { type: challenge.tfa_type, method: challenge.tfa_method }}
        demoPeople={offersDemoPeople ? DEMO_PEOPLE.filter(({ user_type }) => user_type !== 'admin') : []}
      >
        {ended && (
          <Notice kind="waiting" title="You’ve been signed out">
            For your security, sessions end after a while. Sign in to pick up where you left off. Your drafts are saved.
          </Notice>
        )}
        {reset === 'done' && !ended && (
          <Notice kind="done" title="Your new password is set">
            Sign in with it now.
          </Notice>
        )}
        {reset === 'welcome' && !ended && (
          <Notice kind="done" title="Welcome, your account is ready">
            Sign in with the password you just chose.
          </Notice>
        )}
      </LoginFlow>
    </SignInFrame>
  );
}
