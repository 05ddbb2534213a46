'use client';

import dynamic from 'next/dynamic';
import { useId, useState } from 'react';
import { Notice } from '../look/notice.tsx';

/** The forms of this page are loaded on demand, because few visits change how a person signs in. */
const AddressForm = dynamic(() => import('./address-form.tsx').then((module) => module.AddressForm));

interface Props {
  email: string;
  /** The new address whose link was not followed yet (ADDRESS-1). */
  waiting: string | null;
}

export function AddressChange({ email, waiting }: Props) {
  const id = useId();
  const [changing, setChanging] = useState(false);
  const [requested, setRequested] = useState<string | null>(null);

  const expected = requested ?? waiting;
  return (
    <section className="panel p-5" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="font-medium">
        Email address
      </h2>
      <p className="quiet mt-1 mb-4 text-small wrap-anywhere">You sign in with {email}. We email you there, too.</p>
      {expected !== null && (
        <Notice kind="waiting" title={`Check the inbox of ${expected}`} className="mb-4">
          If we can use that address, we sent a link there. Open it within three days to switch. Until then, nothing changes.
        </Notice>
      )}
      {changing ? (
        <AddressForm
          email={email}
          onRequested={(address) => {
            setRequested(address);
            setChanging(false);
          }}
          onClose={() => setChanging(false)}
        />
      ) : (
        <button type="button" className="btn" onClick={() => setChanging(true)}>
          Change email address
        </button>
      )}
    </section>
  );
}
