import type { Metadata } from 'next';
import { DoorFrame } from '../../../components/door-frame.tsx';
import { ResetConfirmForm } from '../../../components/reset-confirm-form.tsx';

export const metadata: Metadata = { title: 'Choose a new password', referrer: 'no-referrer' };

/** Where the mail's link leads. Opening it spends nothing: mail scanners open links too. */
export default function PasswordResetConfirmPage() {
  return (
    <DoorFrame>
      <ResetConfirmForm />
    </DoorFrame>
  );
}
