import type { Metadata } from 'next';
import { AddressConfirmForm } from '../../../sign-in/address-confirm-form.tsx';
import { DoorFrame } from '../../../sign-in/door-frame.tsx';

export const metadata: Metadata = { title: 'Confirm your email address', referrer: 'no-referrer' };

interface Props {
  searchParams: Promise<{ token?: string | string[] }>;
}

/** Where the link leads that was mailed to a new address. Opening it spends nothing: mail scanners open links too. */
export default async function AddressConfirmPage({ searchParams }: Props) {
  const { token } = await searchParams;
  return (
    <DoorFrame>
      <AddressConfirmForm hasToken={token !== undefined && token !== ''} />
    </DoorFrame>
  );
}
