import type { Metadata } from 'next';
import { DoorFrame } from '../../../components/door-frame.tsx';
import { ResetConfirmForm } from '../../../components/reset-confirm-form.tsx';
import { invitationOf } from '../../../lib/invitation-words.ts';
import { knownRole } from '../../../lib/user-types.ts';

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const isInvited = invitationOf((await searchParams).invitation) !== null;
  return { title: isInvited ? 'Choose a password' : 'Choose a new password', referrer: 'no-referrer' };
}

/** Where the link of a reset mail and of an invitation leads. Opening it spends nothing: mail scanners open links too. */
export default async function PasswordResetConfirmPage({ searchParams }: Props) {
  const { token, invitation, role } = await searchParams;
  return (
    <DoorFrame>
      <ResetConfirmForm
        hasToken={token !== undefined && token !== ''}
        invitation={invitationOf(invitation)}
        role={typeof role === 'string' ? knownRole(role) : undefined}
      />
    </DoorFrame>
  );
}
