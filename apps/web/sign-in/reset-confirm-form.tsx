'use client';

import { PASSWORD_MAX, PASSWORD_MIN_WITH_TWO_FACTOR } from '@case-platform/words/limits';
import type { ApiUserType } from '@case-platform/words/user-types';
import { CircleCheck, LinkIcon } from 'lucide-react';
import { useId, useState } from 'react';
import { accountProblem, fieldProblems } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import { Field } from '../look/field.tsx';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';
import { useTextFields } from '../look/use-text-fields.ts';
import { type Invitation, passwordWords } from './invitation-words.ts';
import { PasswordInput } from './password-input.tsx';
import { forgetToken, useMailedToken } from './use-mailed-token.ts';

const RULES = {
  pass_hash: (text: string) => {
    if (text === '') return 'Enter a password.';
    const minimum = PASSWORD_MIN_WITH_TWO_FACTOR;
    return text.length < minimum ? `A password needs at least ${minimum} characters.` : null;
  },
};

interface Props {
  invitation: Invitation | null;
  /** The role that the link names, which the sign-in form then preselects. */
  role: ApiUserType | undefined;
}

/** Sets a new password, or an invited person's first one. Only submitting it uses up the link (PASSWORD-5). */
export function ResetConfirmForm({ invitation, role }: Props) {
  const id = useId();
  const words = passwordWords(invitation);
  const token = useMailedToken();
  const [problem, setProblem] = useState<string | null>(null);
  const [ended, setEnded] = useState(false);
  const [isReady, setReady] = useState(false);
  const { form, errors, isSubmitting, control, showProblems, submit, leave } = useTextFields({
    initial: { pass_hash: '' },
    rules: RULES,
  });

  const save = submit(async ({ pass_hash }) => {
    setProblem(null);
    try {
      await apiBrowser('/api/user/auth/password-reset/confirm', { method: 'POST', body: { token, pass_hash } });
      forgetToken();
      const preset = role === undefined ? '' : `&role=${role}`;
      if (invitation === 'staff') setReady(true);
      else leave(() => location.assign(`/login?reset=${invitation === null ? 'done' : 'welcome'}${preset}`));
    } catch (error) {
      const fields = fieldProblems(error);
      if (fields.token !== undefined) setEnded(true);
      else if (!showProblems({ pass_hash: fields.pass_hash })) setProblem(accountProblem(error));
    }
  });

  if (ended || token === '') return <DeadLink used={ended} invitation={invitation} />;
  if (isReady) return <StaffReady />;
  return (
    <form ref={form} method="post" onSubmit={save} noValidate aria-labelledby={`${id}-title`}>
      <h1 id={`${id}-title`} className="page-title mb-2">
        {words.title}
      </h1>
      <p className="quiet mb-6">{words.lead}</p>
      {problem !== null && <Notice kind="error" title={problem} className="mb-6" />}
      <Field id={`${id}-password`} label={words.label} hint={words.hint} error={errors.pass_hash}>
        <PasswordInput
          id={`${id}-password`}
          autoComplete="new-password"
          maxLength={PASSWORD_MAX}
          aria-describedby={`${id}-password-hint${errors.pass_hash ? ` ${id}-password-error` : ''}`}
          {...control('pass_hash')}
        />
      </Field>
      <button
        type="submit"
        className="btn btn-primary mt-2 w-full"
        disabled={isSubmitting || token === null}
        data-busy={isSubmitting}
      >
        {isSubmitting ? 'Setting…' : 'Set password'}
      </button>
    </form>
  );
}

/** Shown to staff, who sign in to the staff application at the address in their mail. */
function StaffReady() {
  return (
    <section role="status">
      <CircleCheck className="mb-4 text-primary" size={36} strokeWidth={1.5} aria-hidden="true" />
      <h1 className="page-title mb-2">Your account is ready</h1>
      <p>Your password is set. Sign in to the staff application at the address in your invitation.</p>
    </section>
  );
}

function DeadLink({ used, invitation }: { used: boolean; invitation: Invitation | null }) {
  const { ended, broken } = passwordWords(invitation);
  return (
    <section role="alert">
      <LinkIcon className="mb-4 text-primary" size={36} strokeWidth={1.5} aria-hidden="true" />
      <h1 className="page-title mb-2">{used ? 'This link no longer works' : 'This link is incomplete'}</h1>
      <p>{used ? ended : broken}</p>
      <div className="mt-6 flex flex-wrap gap-3">
        {invitation === null && (
          <Link className="btn btn-primary" href="/password-reset">
            Ask for a new link
          </Link>
        )}
        {invitation !== 'staff' && (
          <Link className={`btn ${invitation === null ? 'btn-ghost' : 'btn-primary'}`} href="/login">
            {invitation === null ? 'Back to sign in' : 'Sign in'}
          </Link>
        )}
      </div>
    </section>
  );
}
