'use client';

import type { DemoPerson } from '@case-platform/words/sign-in/demo-people';
import { type ApiUserType, toApiUserType } from '@case-platform/words/user-types';
import { type ReactNode, useId, useState } from 'react';
import { emailProblem } from '../look/email-problem.ts';
import { Field } from '../look/field.tsx';
import { Link } from '../look/link.tsx';
import { setPreference } from '../look/preferences.ts';
import { useTextFields } from '../look/use-text-fields.ts';
import type { SignInProblem } from '../session/sign-in-errors.ts';
import type { CodeChallenge } from './code-form.tsx';
import { DemoPeople } from './demo-people.tsx';
import { EmailField } from './email-field.tsx';
import { PasswordInput } from './password-input.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { RoleField } from './role-field.tsx';
import { attemptSignIn } from './sign-in.ts';
import { roleProblem } from './sign-in-roles.ts';
import { WrongRoleNotice } from './wrong-role-notice.tsx';

const RULES = {
  user_type: roleProblem,
  email_address: emailProblem,
  pass_hash: (text: string) => (text === '' ? 'Enter your password.' : null),
};

interface Props {
  /** The role that a link named or that signed in here last, if any. */
  role: ApiUserType | undefined;
  codeRanOut: boolean;
  demoPeople: readonly DemoPerson[];
  onSignedIn: () => void;
  onCode: (challenge: CodeChallenge) => void;
  /** Notices above the form. */
  children: ReactNode;
}

/** The first step of signing in. It includes the role, because one address can have several records (LAYER-2). */
export function PasswordForm({ role, codeRanOut, demoPeople, onSignedIn, onCode, children }: Props) {
  const id = useId();
  const [problem, setProblem] = useState<SignInProblem | null>(codeRanOut ? { code: 'challenge_over' } : null);
  const [rejectedRole, setRejectedRole] = useState<ApiUserType | null>(null);
  const { form, values, errors, isSubmitting, control, set, submit, leave } = useTextFields({
    initial: { user_type: role ?? '', email_address: '', pass_hash: '' },
    rules: RULES,
  });

  const signIn = submit(async (fields) => {
    const credentials = { ...fields, user_type: fields.user_type as ApiUserType };
    setProblem(null);
    setRejectedRole(null);
    const rejection = await attemptSignIn(credentials);
    // A role is remembered only once its password was right, so that a wrong one is not preselected next time.
    if (rejection === null || rejection.code === 'two_factor') setPreference('role', credentials.user_type);
    if (rejection === null) {
      leave(onSignedIn);
    } else if (rejection.code === 'two_factor') {
      onCode({ type: rejection.type, method: rejection.method });
    } else if (rejection.code === 'wrong') {
      setRejectedRole(credentials.user_type);
    } else {
      setProblem(rejection);
    }
  });

  const tryRole = (user_type: ApiUserType) => {
    set('user_type', user_type);
    form.current?.requestSubmit();
  };
  const signInAs = (person: DemoPerson) => {
    set('email_address', person.email_address);
    set('pass_hash', person.password);
    tryRole(toApiUserType(person.user_type));
  };

  return (
    <>
      <div className="panel sign-in-panel">
        {children}
        {/* With POST, a form that is sent before its script has loaded never puts the password into the URL. */}
        <form ref={form} method="post" onSubmit={signIn} noValidate aria-labelledby={`${id}-title`}>
          <h1 id={`${id}-title`} className="page-title">
            Sign in
          </h1>
          <p className="quiet">For parents, surrogates, agencies, and representatives.</p>
          {problem !== null && <ProblemNotice problem={problem} />}
          {rejectedRole !== null && <WrongRoleNotice role={rejectedRole} onTry={tryRole} />}
          <RoleField id={`${id}-role`} error={errors.user_type} {...control('user_type')} />
          <EmailField id={`${id}-email`} error={errors.email_address} {...control('email_address')} />
          <Field id={`${id}-password`} label="Password" error={errors.pass_hash}>
            <PasswordInput
              id={`${id}-password`}
              autoComplete="current-password"
              aria-describedby={errors.pass_hash && `${id}-password-error`}
              {...control('pass_hash')}
            />
          </Field>
          <button type="submit" className="btn btn-primary mt-2 w-full" disabled={isSubmitting} data-busy={isSubmitting}>
            {isSubmitting ? 'Signing in…' : 'Sign in'}
          </button>
          <p className="mt-4 text-center text-small">
            <Link className="link" href={`/password-reset${values.user_type === '' ? '' : `?role=${values.user_type}`}`}>
              Forgot your password?
            </Link>
          </p>
        </form>
      </div>
      {demoPeople.length > 0 && <DemoPeople people={demoPeople} disabled={isSubmitting} onChoose={signInAs} />}
    </>
  );
}
