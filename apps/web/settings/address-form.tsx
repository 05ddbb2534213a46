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
  onRequested: (address: string) => void;
  onClose: () => void;
}

/** Requests another address to sign in with; it counts once its owner follows the link (ADDRESS-1). */
export function AddressForm({ email, onRequested, onClose }: Props) {
  const id = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, setError, formState } = useForm<Fields>();
  const { errors, isSubmitting } = formState;

  const submit = handleSubmit(async ({ email_address: typed }) => {
    const email_address = typed.trim();
    setProblem(null);
    try {
      await apiBrowser('/api/user/me/email', { method: 'POST', body: { email_address } });
      onRequested(email_address);
    } catch (error) {
      const { email_address: words } = fieldProblems(error);
      if (words !== undefined) setError('email_address', { message: words }, { shouldFocus: true });
      else setProblem(accountProblem(error));
    }
  });

  return (
    <form method="post" onSubmit={submit} noValidate aria-label="Change email address">
      {problem !== null && <Notice kind="error" title={problem} className="mb-4" />}
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
          // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field.
          autoFocus
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
      <div className="flex flex-wrap gap-2">
        <button type="submit" className="btn btn-primary" disabled={isSubmitting} data-busy={isSubmitting}>
          {isSubmitting ? 'Sending…' : 'Send link'}
        </button>
        <button type="button" className="btn btn-ghost" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
