import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { readPreference } from '../../look/preferences.ts';
import { ResetRequestForm } from '../../sign-in/reset-request-form.tsx';
import { SignInFrame } from '../../sign-in/sign-in-frame.tsx';
import { parseRole } from '../../sign-in/sign-in-roles.ts';

export const metadata: Metadata = { title: 'Set a new password' };

export default async function PasswordResetPage() {
  const role = parseRole(readPreference(await cookies(), 'role'));
  return (
    <SignInFrame>
      <ResetRequestForm rememberedRole={role} />
    </SignInFrame>
  );
}
