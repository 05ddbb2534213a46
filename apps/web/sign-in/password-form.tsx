'use client';

import type { ApiUserType } from '@case-platform/words/user-types';
import { useId, useState } from 'react';
import { emailProblem } from '../look/email-problem.ts';
import { Field } from '../look/field.tsx';
import { Link } from '../look/link.tsx';
import { setPreference } from '../look/preferences.ts';
import { useTextFields } from '../look/use-text-fields.ts';
import type { SignInProblem } from '../session/sign-in-errors.ts';
import type { CodeChallenge } from './code-form.tsx';
import { PasswordInput } from './password-input.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { RoleSelect } from './role-select.tsx';
import { attemptSignIn } from './sign-in.ts';

const RULES = {
  email_address: emailProblem,
  pass_hash: (text: string) => (text === '' ? 'Enter your password.' : null),
};

interface Props {
  rememberedRole: ApiUserType;
  codeRanOut: boolean;
  onSignedIn: () => void;
  onCode: (challenge: CodeChallenge) => void;
}

/** The first step of signing in. It includes the role, because one address can have several records (LAYER-2). */
export function PasswordForm({ rememberedRole, codeRanOut, onSignedIn, onCode }: Props) {
  const id = useId();
  const [problem, setProblem] = useState<SignInProblem | null>(codeRanOut ? { code: 'challenge_over' } : null);
  const [entering, setEntering] = useState(false);
  const { form, errors, isSubmitting, control, submit } = useTextFields({
    initial: { user_type: rememberedRole, email_address: '', pass_hash: '' },
    rules: RULES,
  });
  const busy = isSubmitting || entering;

  const signIn = submit(async (fields) => {
    const credentials = { ...fields, user_type: fields.user_type as ApiUserType };
    setProblem(null);
    setPreference('role', credentials.user_type);
    const rejection = await attemptSignIn(credentials);
    if (rejection === null) {
      setEntering(true);
      onSignedIn();
    } else if (rejection.code === 'two_factor') {
      onCode({ type: rejection.type, method: rejection.method });
    } else {
      setProblem(rejection);
    }
  });

  return (
    // With POST, a form that is sent before its script has loaded never puts the password into the URL.
    <form ref={form} method="post" onSubmit={signIn} noValidate aria-labelledby={`${id}-title`}>
      <h1 id={`${id}-title`} className="page-title mb-6">
        Sign in
      </h1>
      {problem !== null && <ProblemNotice problem={problem} />}
      <Field id={`${id}-role`} label="I am">
        <RoleSelect id={`${id}-role`} {...control('user_type')} />
      </Field>
      <Field id={`${id}-email`} label="Email address" error={errors.email_address}>
        <input
          id={`${id}-email`}
          className="input"
          type="email"
          autoComplete="username"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
          aria-describedby={errors.email_address && `${id}-email-error`}
          {...control('email_address')}
        />
      </Field>
      <Field id={`${id}-password`} label="Password" error={errors.pass_hash}>
        <PasswordInput
          id={`${id}-password`}
          autoComplete="current-password"
          aria-describedby={errors.pass_hash && `${id}-password-error`}
          {...control('pass_hash')}
        />
      </Field>
      <button type="submit" className="btn btn-primary mt-2 w-full" disabled={busy} data-busy={busy}>
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
