'use client';

import { EMAIL_MAX } from '@case-platform/words/limits';
import { useId, useState } from 'react';
import { accountProblem, fieldProblems } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import { emailProblem } from '../look/email-problem.ts';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';
import { useTextFields } from '../look/use-text-fields.ts';

interface Props {
  email: string;
  onRequested: (address: string) => void;
  onClose: () => void;
}

/** Requests another address to sign in with; it counts once its owner follows the link (ADDRESS-1). */
export function AddressForm({ email, onRequested, onClose }: Props) {
  const id = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const { form, errors, isSubmitting, control, showProblems, submit } = useTextFields({
    initial: { email_address: '' },
    rules: {
      email_address: (text) => {
        if (text === '') return 'Enter the new email address.';
        return text.trim().toLowerCase() === email ? 'This is already your email address.' : emailProblem(text);
      },
    },
  });

  const request = submit(async ({ email_address: typed }) => {
    const email_address = typed.trim();
    setProblem(null);
    try {
      await apiBrowser('/api/user/me/email', { method: 'POST', body: { email_address } });
      onRequested(email_address);
    } catch (error) {
      if (!showProblems({ email_address: fieldProblems(error).email_address })) setProblem(accountProblem(error));
    }
  });

  return (
    <form ref={form} method="post" onSubmit={request} noValidate aria-label="Change email address">
      {problem !== null && <Notice kind="error" title={problem} className="mb-4" />}
      <Field
        id={`${id}-email`}
        label="New email address"
        hint="We email a link to the new address and let your current one know. After the change, a new bank account has to wait a week."
        error={errors.email_address}
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
          aria-describedby={`${id}-email-hint${errors.email_address ? ` ${id}-email-error` : ''}`}
          {...control('email_address')}
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
