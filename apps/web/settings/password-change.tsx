'use client';

import dynamic from 'next/dynamic';
import { useId, useState } from 'react';
import { Notice } from '../look/notice.tsx';

const PasswordForm = dynamic(() => import('./password-form.tsx').then((module) => module.PasswordForm));

export function PasswordChange({ email, minimum }: { email: string; minimum: number }) {
  const id = useId();
  const [changing, setChanging] = useState(false);
  const [changed, setChanged] = useState(false);
  const begin = () => {
    setChanged(false);
    setChanging(true);
  };
  const end = () => {
    setChanged(true);
    setChanging(false);
  };
  return (
    <section className="panel p-5" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="mb-4 font-medium">
        Password
      </h2>
      {changed && <Notice kind="done" title="Your password is changed. We also emailed you about it." className="mb-4" />}
      {changing ? (
        <PasswordForm email={email} minimum={minimum} onChanged={end} onClose={() => setChanging(false)} />
      ) : (
        <button type="button" className="btn" onClick={begin}>
          Change password
        </button>
      )}
    </section>
  );
}
