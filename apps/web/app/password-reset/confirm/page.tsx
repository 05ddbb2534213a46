import type { Metadata } from 'next';
import { invitationOf } from '../../../sign-in/invitation-words.ts';
import { ResetConfirmForm } from '../../../sign-in/reset-confirm-form.tsx';
import { SignInFrame } from '../../../sign-in/sign-in-frame.tsx';
import { parseRole } from '../../../sign-in/sign-in-roles.ts';

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const isInvited = invitationOf((await searchParams).invitation) !== null;
  return { title: isInvited ? 'Choose a password' : 'Choose a new password', referrer: 'no-referrer' };
}

/** The target of reset and invitation links. Opening one does not use it up, as mail scanners open links too (PASSWORD-5). */
export default async function PasswordResetConfirmPage({ searchParams }: Props) {
  const { invitation, role } = await searchParams;
  return (
    <SignInFrame>
      <ResetConfirmForm invitation={invitationOf(invitation)} role={parseRole(role)} />
    </SignInFrame>
  );
}
