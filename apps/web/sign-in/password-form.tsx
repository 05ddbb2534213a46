'use client';

import type { ApiUserType } from '@case-platform/words/user-types';
import { useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { Field } from '../look/field.tsx';
import { Link } from '../look/link.tsx';
import { setPreference } from '../look/preferences.ts';
import type { SignInProblem } from '../session/sign-in-errors.ts';
import type { CodeChallenge } from './code-form.tsx';
import { PasswordInput } from './password-input.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { RoleSelect } from './role-select.tsx';
import { attemptSignIn } from './sign-in.ts';

interface Fields {
  email_address: string;
  user_type: ApiUserType;
  pass_hash: string;
}

interface Props {
  rememberedRole: ApiUserType;
  codeRanOut: boolean;
  onSignedIn: () => void;
  onCode: (challenge: CodeChallenge) => void;
}

/** Email address, password and role: the same address may belong to several people's records. */
export function PasswordForm({ rememberedRole, codeRanOut, onSignedIn, onCode }: Props) {
  const id = useId();
  const [problem, setProblem] = useState<SignInProblem | null>(codeRanOut ? { code: 'challenge_over' } : null);
  const [entering, setEntering] = useState(false);
  const { register, handleSubmit, formState } = useForm<Fields>({ defaultValues: { user_type: rememberedRole } });
  const { errors, isSubmitting } = formState;
  const busy = isSubmitting || entering;

  const submit = handleSubmit(async (fields) => {
    setProblem(null);
    setPreference('role', fields.user_type);
    const found = await attemptSignIn(fields);
    if (found === null) {
      setEntering(true);
      onSignedIn();
    } else if (found.code === 'two_factor') {
      onCode({ type: found.type, method: found.method });
    } else {
      setProblem(found);
    }
  });

  return (
    // POST in case the form is sent before its script has loaded: a password must never end up in an address.
    <form method="post" onSubmit={submit} noValidate aria-labelledby={`${id}-title`}>
      <h1 id={`${id}-title`} className="page-title mb-6">
        Sign in
      </h1>
      {problem !== null && <ProblemNotice problem={problem} />}
      <Field id={`${id}-role`} label="I am">
        <RoleSelect id={`${id}-role`} defaultValue={rememberedRole} {...register('user_type')} />
      </Field>
      <Field id={`${id}-email`} label="Email address" error={errors.email_address?.message}>
        <input
          id={`${id}-email`}
          className="input"
          type="email"
          autoComplete="username"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={errors.email_address !== undefined}
          aria-describedby={errors.email_address && `${id}-email-error`}
          {...register('email_address', {
            required: 'Enter your email address.',
            pattern: { value: /^\s*\S+@\S+\s*$/, message: 'Enter a full email address, like name@example.com.' },
          })}
        />
      </Field>
      <Field id={`${id}-password`} label="Password" error={errors.pass_hash?.message}>
        <PasswordInput
          id={`${id}-password`}
          autoComplete="current-password"
          aria-invalid={errors.pass_hash !== undefined}
          aria-describedby={errors.pass_hash && `${id}-password-error`}
          {...register('pass_hash', { required: 'Enter your password.' })}
        />
      </Field>
      <button type="submit" className="btn btn-primary mt-2 w-full" disabled={busy}>
        {busy ? 'Signing in…' : 'Sign in'}
      </button>
      <p className="mt-4 text-center text-small">
        <Link className="link" href="/password-reset">
          Forgot your password?
        </Link>
      </p>
    </form>
  );
}
