import type { Metadata } from 'next';
import { cookies } from 'next/headers';
import { DoorFrame } from '../../components/door-frame.tsx';
import { ResetRequestForm } from '../../components/reset-request-form.tsx';
import { readPreference } from '../../lib/preferences.ts';
import { knownRole } from '../../lib/user-types.ts';

export const metadata: Metadata = { title: 'Set a new password' };

/** Asking for the mail that leads to a new password. */
export default async function PasswordResetPage() {
  const role = knownRole(readPreference(await cookies(), 'role'));
  return (
    <DoorFrame>
      <ResetRequestForm rememberedRole={role} />
    </DoorFrame>
  );
}
