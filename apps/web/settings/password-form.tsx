'use client';

import { PASSWORD_MAX } from '@case-platform/words/limits';
import { useId, useState } from 'react';
import { accountProblem, fieldProblems, passwordRule } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import { ApiError } from '../api/api-error.ts';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';
import { useTextFields } from '../look/use-text-fields.ts';
import { PasswordInput } from '../sign-in/password-input.tsx';

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
  const { form, errors, isSubmitting, control, showProblems, submit } = useTextFields({
    initial: { pass_hash: '', new_pass_hash: '' },
    rules: {
      pass_hash: (text) => (text === '' ? 'Enter your current password.' : null),
      new_pass_hash: (text) => {
        if (text === '') return 'Enter a new password.';
        return text.length < minimum ? `A password needs at least ${minimum} characters.` : null;
      },
    },
  });

  const save = submit(async (fields) => {
    setProblem(null);
    try {
      await apiBrowser('/api/user/me/password', { method: 'POST', body: fields });
      onChanged();
    } catch (error) {
      const isWrong = error instanceof ApiError && error.code === 'wrong_password';
      const problems = isWrong ? { pass_hash: accountProblem(error) } : { new_pass_hash: fieldProblems(error).new_pass_hash };
      if (!showProblems(problems)) setProblem(accountProblem(error));
    }
  });

  return (
    <form ref={form} method="post" onSubmit={save} noValidate aria-label="Change password">
      {problem !== null && <Notice kind="error" title={problem} className="mb-4" />}
      {/* Tells password managers whose password this is. */}
      <input hidden type="text" autoComplete="username" value={email} readOnly />
      <Field id={`${id}-current`} label="Current password" error={errors.pass_hash}>
        <PasswordInput
          id={`${id}-current`}
          what="current password"
          autoFocus
          autoComplete="current-password"
          aria-describedby={errors.pass_hash && `${id}-current-error`}
          {...control('pass_hash')}
        />
      </Field>
      <Field id={`${id}-new`} label="New password" hint={passwordRule(minimum)} error={errors.new_pass_hash}>
        <PasswordInput
          id={`${id}-new`}
          what="new password"
          autoComplete="new-password"
          maxLength={PASSWORD_MAX}
          aria-describedby={`${id}-new-hint${errors.new_pass_hash ? ` ${id}-new-error` : ''}`}
          {...control('new_pass_hash')}
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
