import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { readPreference } from '../../look/preferences.ts';
import { ResetRequestForm } from '../../sign-in/reset-request-form.tsx';
import { SignInFrame } from '../../sign-in/sign-in-frame.tsx';
import { parseRole } from '../../sign-in/sign-in-roles.ts';

export const metadata: Metadata = { title: 'Set a new password' };

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export default async function PasswordResetPage({ searchParams }: Props) {
  const [{ role }, jar] = await Promise.all([searchParams, cookies()]);
  return (
    <SignInFrame>
      <ResetRequestForm role={parseRole(role) ?? parseRole(readPreference(jar, 'role'))} />
    </SignInFrame>
  );
}
