import type { Metadata } from 'next';
import { AddressConfirmForm } from '../../../sign-in/address-confirm-form.tsx';
import { DoorFrame } from '../../../sign-in/door-frame.tsx';

export const metadata: Metadata = { title: 'Confirm your email address', referrer: 'no-referrer' };

/** Where the link leads that was mailed to a new address. Opening it spends nothing: mail scanners open links too. */
export default function AddressConfirmPage() {
  return (
    <DoorFrame>
      <AddressConfirmForm />
    </DoorFrame>
  );
}
