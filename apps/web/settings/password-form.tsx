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

interface Props {
  email: string;
  /** The minimum length of a password (PASSWORD-1). */
  minimum: number;
  onChanged: () => void;
  onClose: () => void;
}

/** Changes the password, for which the current one is always required (IDENTITY-2). */
export function PasswordForm({ email, minimum, onChanged, onClose }: Props) {
  const id = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, setError, formState } = useForm<Fields>();
  const { errors, isSubmitting } = formState;

  const submit = handleSubmit(async (fields) => {
    setProblem(null);
    try {
      await apiBrowser('/api/user/me/password', { method: 'POST', body: fields });
      onChanged();
    } catch (error) {
      const { new_pass_hash } = fieldProblems(error);
      if (new_pass_hash !== undefined) setError('new_pass_hash', { message: new_pass_hash }, { shouldFocus: true });
      else if (error instanceof ApiError && error.code === 'wrong_password') {
        setError('pass_hash', { message: accountProblem(error) }, { shouldFocus: true });
      } else setProblem(accountProblem(error));
    }
  });

  return (
    <form method="post" onSubmit={submit} noValidate aria-label="Change password">
      {problem !== null && <Notice kind="error" title={problem} className="mb-4" />}
      {/* Tells password managers whose password this is. */}
      <input hidden type="text" autoComplete="username" value={email} readOnly />
      <Field id={`${id}-current`} label="Current password" error={errors.pass_hash?.message}>
        <PasswordInput
          id={`${id}-current`}
          what="current password"
          autoFocus
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
      <div className="flex flex-wrap gap-2">
        <button type="submit" className="btn btn-primary" disabled={isSubmitting} data-busy={isSubmitting}>
          {isSubmitting ? 'Saving…' : 'Save new password'}
        </button>
        <button type="button" className="btn btn-ghost" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
