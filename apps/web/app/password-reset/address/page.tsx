import type { Metadata } from 'next';
import { AddressConfirmForm } from '../../../sign-in/address-confirm-form.tsx';
import { SignInFrame } from '../../../sign-in/sign-in-frame.tsx';

export const metadata: Metadata = { title: 'Confirm your email address', referrer: 'no-referrer' };

/** The target of the link mailed to a new address. Opening it does not use it up, because mail scanners open links too. */
export default function AddressConfirmPage() {
  return (
    <SignInFrame>
      <AddressConfirmForm />
    </SignInFrame>
  );
}
