'use client';

import { LinkIcon } from 'lucide-react';
import Link from 'next/link';
import { useEffect, useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { accountProblem, fieldProblems } from '../lib/account-words.ts';
import { apiBrowser } from '../lib/api-browser.ts';
import { Field } from './field.tsx';
import { Notice } from './notice.tsx';
import { PasswordInput } from './password-input.tsx';

interface Fields {
  pass_hash: string;
}

/** The token of the mail's link, once read; the address bar and the history no longer hold it. */
let taken: string | undefined;

function takeToken(): string {
  const { pathname, search } = location;
  const token = new URLSearchParams(search).get('token');
  if (token !== null) {
    taken = token;
    history.replaceState(history.state, '', pathname);
  }
  return taken ?? '';
}

/** The new password. Only sending it spends the link. */
export function ResetConfirmForm() {
  const id = useId();
  const [token, setToken] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [ended, setEnded] = useState(false);
  const [done, setDone] = useState(false);
  const { register, handleSubmit, setError, formState } = useForm<Fields>();
  const { errors, isSubmitting } = formState;
  useEffect(() => setToken(takeToken()), []);

  const submit = handleSubmit(async ({ pass_hash }) => {
    setProblem(null);
    try {
      await apiBrowser('/api/user/auth/password-reset/confirm', { method: 'POST', body: { token, pass_hash } });
      setDone(true);
      taken = undefined;
      location.assign('/login?reset=done');
    } catch (error) {
      const fields = fieldProblems(error);
      if (fields.token !== undefined) setEnded(true);
      else if (fields.pass_hash !== undefined) setError('pass_hash', { message: fields.pass_hash });
      else setProblem(accountProblem(error));
    }
  });

  if (ended || token === '') return <DeadLink used={ended} />;
  const busy = isSubmitting || done || token === null;
  return (
    <form method="post" onSubmit={submit} noValidate aria-labelledby={`${id}-title`}>
      <h1 id={`${id}-title`} className="page-title mb-2">
        Choose a new password
      </h1>
      <p className="quiet mb-6">A few words in a row are easy to remember and hard to guess.</p>
      {problem !== null && <Notice kind="error" title={problem} className="mb-6" />}
      <Field
        id={`${id}-password`}
        label="New password"
        hint="At least 12 characters, or 8 if you also sign in with a code."
        error={errors.pass_hash?.message}
      >
        <PasswordInput
          id={`${id}-password`}
          autoComplete="new-password"
          maxLength={256}
          aria-invalid={errors.pass_hash !== undefined}
          aria-describedby={`${id}-password-hint${errors.pass_hash ? ` ${id}-password-error` : ''}`}
          {...register('pass_hash', {
            required: 'Enter a new password.',
            minLength: { value: 8, message: 'A password needs at least 8 characters.' },
          })}
        />
      </Field>
      <button type="submit" className="btn btn-primary mt-2 w-full" disabled={busy}>
        {isSubmitting || done ? 'Setting…' : 'Set password'}
      </button>
    </form>
  );
}

function DeadLink({ used }: { used: boolean }) {
  return (
    <section role="alert">
      <LinkIcon className="mb-4 text-primary" size={36} strokeWidth={1.5} aria-hidden="true" />
      <h1 className="page-title mb-2">{used ? 'This link no longer works' : 'This link is not whole'}</h1>
      <p>
        {used
          ? 'It has been used already, or its 30 minutes are over. Nothing was changed just now.'
          : 'Open the link in your mail once more, or ask for a new one.'}
      </p>
      <div className="mt-6 flex flex-wrap gap-3">
        <Link className="btn btn-primary" href="/password-reset">
          Ask for a new link
        </Link>
        <Link className="btn btn-ghost" href="/login">
          Back to sign in
        </Link>
      </div>
    </section>
  );
}
