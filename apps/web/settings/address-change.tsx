'use client';

import { EMAIL_MAX } from '@case-platform/words/limits';
import { useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { accountProblem, fieldProblems } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';

interface Fields {
  email_address: string;
}

interface Props {
  email: string;
  /** Another address, whose link was not followed yet. */
  waiting: string | null;
}

/** The address that one signs in with, and asking for another one. */
export function AddressChange({ email, waiting }: Props) {
  const id = useId();
  const [asked, setAsked] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, setError, reset, formState } = useForm<Fields>();
  const { errors, isSubmitting } = formState;

  const submit = handleSubmit(async ({ email_address: typed }) => {
    const email_address = typed.trim();
    setProblem(null);
    try {
      await apiBrowser('/api/user/me/email', { method: 'POST', body: { email_address } });
      reset();
      setAsked(email_address);
    } catch (error) {
      const { email_address: words } = fieldProblems(error);
      if (words !== undefined) setError('email_address', { message: words }, { shouldFocus: true });
      else setProblem(accountProblem(error));
    }
  });

  const expected = asked ?? waiting;
  return (
    <section className="panel p-5" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="font-medium">
        Email address
      </h2>
      <p className="quiet mt-1 mb-4 text-small wrap-anywhere">You sign in with {email}. We email you there, too.</p>
      {problem !== null && <Notice kind="error" title={problem} className="mb-4" />}
      {expected !== null && (
        <Notice kind="waiting" title={`Check the inbox of ${expected}`} className="mb-4">
          If we can use that address, we sent a link there. Open it within three days to switch. Until then, nothing
          changes.
        </Notice>
      )}
      <form method="post" onSubmit={submit} noValidate aria-labelledby={`${id}-title`}>
        <Field
          id={`${id}-email`}
          label="New email address"
          hint="We email a link to the new address and let your current one know. After the change, a new bank account has to wait a week."
          error={errors.email_address?.message}
        >
          <input
            id={`${id}-email`}
            className="input"
            type="email"
            autoComplete="email"
            inputMode="email"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={EMAIL_MAX}
            aria-invalid={errors.email_address !== undefined}
            aria-describedby={`${id}-email-hint${errors.email_address ? ` ${id}-email-error` : ''}`}
            {...register('email_address', {
              required: 'Enter the new email address.',
              pattern: { value: /^\s*\S+@\S+\s*$/, message: 'Enter a full email address, like name@example.com.' },
              validate: (typed) => typed.trim().toLowerCase() !== email || 'This is already your email address.',
            })}
          />
        </Field>
        <button type="submit" className="btn" disabled={isSubmitting}>
          {isSubmitting ? 'Sending…' : 'Send link'}
        </button>
      </form>
    </section>
  );
}
