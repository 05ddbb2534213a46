'use client';

import { EMAIL_MAX } from '@case-platform/words/limits';
import { type ApiUserType, asUserType } from '@case-platform/words/user-types';
import { MailCheck } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { accountProblem, fieldProblems } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import { emailProblem } from '../look/email-problem.ts';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';
import { useTextFields } from '../look/use-text-fields.ts';
import { EmailField } from './email-field.tsx';
import { RoleField } from './role-field.tsx';
import { roleProblem } from './sign-in-roles.ts';

interface Fields {
  email_address: string;
  user_type: ApiUserType | '';
}

/** Requests a reset link. The answer is the same if there is no such account (PASSWORD-4). */
export function ResetRequestForm({ role }: { role: ApiUserType | undefined }) {
  const id = useId();
  const [request, setRequest] = useState<Fields>({ user_type: role ?? '', email_address: '' });
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { form, errors, isSubmitting, control, showProblems, submit } = useTextFields({
    initial: request,
    rules: { user_type: roleProblem, email_address: emailProblem },
  });

  const send = submit(async (fields) => {
    const body = { user_type: fields.user_type as ApiUserType, email_address: fields.email_address.trim() };
    setProblem(null);
    try {
      await apiBrowser('/api/user/auth/password-reset/request', { method: 'POST', body });
      setRequest(body);
      setSent(true);
    } catch (error) {
      if (!showProblems({ email_address: fieldProblems(error).email_address })) setProblem(accountProblem(error));
    }
  });

  if (isSent) return <Sent requested={request} onAgain={() => setSent(false)} />;
  return (
    <form ref={form} method="post" onSubmit={send} noValidate aria-labelledby={`${id}-title`}>
      <h1 id={`${id}-title`} className="page-title mb-2">
        Set a new password
      </h1>
      <p className="quiet mb-6">We send a link to your email address. It works for 30 minutes.</p>
      {problem !== null && <Notice kind="error" title={problem} className="mb-6" />}
      <RoleField id={`${id}-role`} error={errors.user_type} {...control('user_type')} />
      <EmailField id={`${id}-email`} error={errors.email_address} maxLength={EMAIL_MAX} {...control('email_address')} />
      <button type="submit" className="btn btn-primary mt-2 w-full" disabled={isSubmitting} data-busy={isSubmitting}>
        {isSubmitting ? 'Sending…' : 'Send link'}
      </button>
      <p className="mt-4 text-center text-small">
        <Link className="link" href="/login">
          Back to sign in
        </Link>
      </p>
    </form>
  );
}

function Sent({ requested, onAgain }: { requested: Fields; onAgain: () => void }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const { user_type: role } = requested;
  return (
    <section>
      <MailCheck className="mb-4 text-primary" size={36} strokeWidth={1.5} aria-hidden="true" />
      <h1 ref={title} tabIndex={-1} className="page-title mb-2 outline-none">
        Check your email
      </h1>
      <p>
        If <strong className="font-medium wrap-anywhere">{requested.email_address}</strong> has an account{' '}
        {role !== '' && asUserType(role)}, we emailed a link to it. The link works once, within 30 minutes.
      </p>
      <p className="quiet mt-4 text-small">
        Nothing after a few minutes? Check your spam folder, and the address and role above.
      </p>
      <div className="mt-6 flex flex-wrap gap-3">
        <Link className="btn btn-primary" href={`/login?role=${role}`}>
          Back to sign in
        </Link>
        <button type="button" className="btn btn-ghost" onClick={onAgain}>
          Ask again
        </button>
      </div>
    </section>
  );
}
