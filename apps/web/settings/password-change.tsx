'use client';

import { PASSWORD_MAX } from '@case-platform/words/limits';
import { useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { accountProblem, fieldProblems, passwordRule } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import { ApiError } from '../api/api-error.ts';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';
import { PasswordInput } from '../sign-in/password-input.tsx';

interface Fields {
  pass_hash: string;
  new_pass_hash: string;
}

/** Changing the password, with its rules in words. */
export function PasswordChange({ email, minimum }: { email: string; minimum: number }) {
  const id = useId();
  const [said, setSaid] = useState<{ kind: 'done' | 'error'; words: string } | null>(null);
  const { register, handleSubmit, setError, reset, formState } = useForm<Fields>();
  const { errors, isSubmitting } = formState;

  const submit = handleSubmit(async (fields) => {
    setSaid(null);
    try {
      await apiBrowser('/api/user/me/password', { method: 'POST', body: fields });
      reset();
      setSaid({ kind: 'done', words: 'Your password is changed. We also emailed you about it.' });
    } catch (error) {
      const { new_pass_hash } = fieldProblems(error);
      if (new_pass_hash !== undefined) setError('new_pass_hash', { message: new_pass_hash }, { shouldFocus: true });
      else if (error instanceof ApiError && error.code === 'wrong_password') {
        setError('pass_hash', { message: accountProblem(error) }, { shouldFocus: true });
      } else setSaid({ kind: 'error', words: accountProblem(error) });
    }
  });

  return (
    <section className="panel p-5" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="mb-4 font-medium">
        Password
      </h2>
      {said !== null && <Notice kind={said.kind} title={said.words} className="mb-4" />}
      <form method="post" onSubmit={submit} noValidate aria-labelledby={`${id}-title`}>
        {/* For password managers, which else do not know whose password this is. */}
        <input hidden type="text" autoComplete="username" value={email} readOnly />
        <Field id={`${id}-current`} label="Current password" error={errors.pass_hash?.message}>
          <PasswordInput
            id={`${id}-current`}
            what="current password"
            autoComplete="current-password"
            aria-invalid={errors.pass_hash !== undefined}
            aria-describedby={errors.pass_hash && `${id}-current-error`}
            {...register('pass_hash', { required: 'Enter your current password.' })}
          />
        </Field>
        <Field id={`${id}-new`} label="New password" hint={passwordRule(minimum)} error={errors.new_pass_hash?.message}>
          <PasswordInput
            id={`${id}-new`}
            what="new password"
            autoComplete="new-password"
            maxLength={PASSWORD_MAX}
            aria-invalid={errors.new_pass_hash !== undefined}
            aria-describedby={`${id}-new-hint${errors.new_pass_hash ? ` ${id}-new-error` : ''}`}
            {...register('new_pass_hash', {
              required: 'Enter a new password.',
              minLength: { value: minimum, message: `A password needs at least ${minimum} characters.` },
            })}
          />
        </Field>
        <button type="submit" className="btn" disabled={isSubmitting}>
          {isSubmitting ? 'Changing…' : 'Change password'}
        </button>
      </form>
    </section>
  );
}
