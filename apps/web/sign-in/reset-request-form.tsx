'use client';

import { EMAIL_MAX } from '@case-platform/words/limits';
import { type ApiUserType, apiUserTypeInWords } from '@case-platform/words/user-types';
import { MailCheck } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { accountProblem, fieldProblems } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import { Field } from '../look/field.tsx';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';
import { setPreference } from '../look/preferences.ts';
import { RoleSelect } from './role-select.tsx';

interface Fields {
  email_address: string;
  user_type: ApiUserType;
}

/** Requests a reset link. The answer is the same if there is no such account (PASSWORD-4). */
export function ResetRequestForm({ rememberedRole }: { rememberedRole: ApiUserType }) {
  const id = useId();
  const [requested, setRequested] = useState<Fields | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, setError, formState } = useForm<Fields>({
    defaultValues: { user_type: rememberedRole },
  });
  const { errors, isSubmitting } = formState;

  const submit = handleSubmit(async (fields) => {
    const request = { ...fields, email_address: fields.email_address.trim() };
    setProblem(null);
    setPreference('role', request.user_type);
    try {
      await apiBrowser('/api/user/auth/password-reset/request', { method: 'POST', body: request });
      setRequested(request);
    } catch (error) {
      const { email_address } = fieldProblems(error);
      if (email_address === undefined) setProblem(accountProblem(error));
      else setError('email_address', { message: email_address });
    }
  });

  if (requested !== null) return <Sent requested={requested} onAgain={() => setRequested(null)} />;
  return (
    <form method="post" onSubmit={submit} noValidate aria-labelledby={`${id}-title`}>
      <h1 id={`${id}-title`} className="page-title mb-2">
        Set a new password
      </h1>
      <p className="quiet mb-6">We send a link to your email address. It works for 30 minutes.</p>
      {problem !== null && <Notice kind="error" title={problem} className="mb-6" />}
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
          maxLength={EMAIL_MAX}
          aria-invalid={errors.email_address !== undefined}
          aria-describedby={errors.email_address && `${id}-email-error`}
          {...register('email_address', {
            required: 'Enter your email address.',
            pattern: { value: /^\s*\S+@\S+\s*$/, message: 'Enter a full email address, like name@example.com.' },
          })}
        />
      </Field>
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
  const role = apiUserTypeInWords(requested.user_type);
  return (
    <section>
      <MailCheck className="mb-4 text-primary" size={36} strokeWidth={1.5} aria-hidden="true" />
      <h1 ref={title} tabIndex={-1} className="page-title mb-2 outline-none">
        Check your email
      </h1>
      <p>
        If <strong className="font-medium wrap-anywhere">{requested.email_address}</strong> has an account as {role.toLowerCase()}
        , we emailed a link to it. The link works once, within 30 minutes.
      </p>
      <p className="quiet mt-4 text-small">
        Nothing after a few minutes? Check your spam folder, and the address and role above.
      </p>
      <div className="mt-6 flex flex-wrap gap-3">
        <Link className="btn btn-primary" href="/login">
          Back to sign in
        </Link>
        <button type="button" className="btn btn-ghost" onClick={onAgain}>
          Ask again
        </button>
      </div>
    </section>
  );
}
