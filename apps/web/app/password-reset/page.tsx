import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { readPreference } from '../../look/preferences.ts';
import { DoorFrame } from '../../sign-in/door-frame.tsx';
import { ResetRequestForm } from '../../sign-in/reset-request-form.tsx';
import { knownRole } from '../../sign-in/sign-in-roles.ts';

export const metadata: Metadata = { title: 'Set a new password' };

export default async function PasswordResetPage() {
  const role = knownRole(readPreference(await cookies(), 'role'));
  return (
    <DoorFrame>
      <ResetRequestForm rememberedRole={role} />
    </DoorFrame>
  );
}
