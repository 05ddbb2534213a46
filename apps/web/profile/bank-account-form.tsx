'use client';

import { ACCOUNT_HOLDER_MAX, BANK_NUMBER_FIELD_MAX } from '@case-platform/words/limits';
import { useEffect, useId, useState } from 'react';
import { type RegisterOptions, useForm } from 'react-hook-form';
import { accountProblem, fieldProblems } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import type { BankAccount } from '../api/api-shapes.ts';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';
import { routingNumberProblem } from './routing-number.ts';

interface Fields {
  holder_name: string;
  account_kind: BankAccount['account_kind'];
  routing_number: string;
  account_number: string;
  /** The repeated account number, which is not sent. */
  again: string;
}

const KINDS = [
  ['checking', 'Checking'],
  ['savings', 'Savings'],
] as const;

type Rules = { [Name in keyof Fields]?: RegisterOptions<Fields, Name> };

const plain = (text: string) => text.replaceAll(/\s/g, '');

const RULES: Rules = {
  holder_name: { validate: (text) => text.trim() !== '' || 'Enter the name on the account.' },
  routing_number: { validate: (text) => routingNumberProblem(text) ?? true },
  account_number: {
    validate: (text) => /^[0-9A-Za-z][0-9A-Za-z-]{2,15}[0-9A-Za-z]$/.test(plain(text)) || 'An account number has 4 to 17 digits.',
  },
  again: {
    validate: (text, { account_number }) => plain(text) === plain(account_number) || 'The account numbers don’t match.',
  },
};

interface Props {
  /** The initial value of the holder's name. */
  holder: string;
  /** True if the person already has an account, which the new one replaces. */
  isChange: boolean;
  onSaved: (account: BankAccount) => void;
  onClose: () => void;
}

/** Sets a bank account. The account number is sent once and never comes back (BANK-5). */
export function BankAccountForm({ holder, isChange, onSaved, onClose }: Props) {
  const id = useId();
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, setError, setFocus, formState } = useForm<Fields>({
    mode: 'onTouched',
    defaultValues: { holder_name: holder, account_kind: 'checking' },
  });
  const { errors, isSubmitting } = formState;
  useEffect(() => setFocus('holder_name'), [setFocus]);

  const submit = handleSubmit(async ({ again: _, ...body }) => {
    setProblem(null);
    try {
      onSaved(await apiBrowser<BankAccount>('/api/user/me/bank-account', { method: 'PUT', body }));
    } catch (error) {
      const problems = Object.entries(fieldProblems(error)).filter(([name]) => name in body);
      for (const [name, message] of problems) setError(name as keyof Fields, { message }, { shouldFocus: true });
      if (problems.length === 0) setProblem(accountProblem(error));
    }
  });
  const control = (name: keyof Fields, hint = false) => ({
    id: `${id}-${name}`,
    'aria-invalid': errors[name] !== undefined,
    'aria-describedby': [hint && `${id}-${name}-hint`, errors[name] && `${id}-${name}-error`].filter(Boolean).join(' '),
    ...register(name, RULES[name] as RegisterOptions<Fields>),
  });
  const field = (name: keyof Fields) => ({ id: `${id}-${name}`, error: errors[name]?.message });
  const number = {
    className: 'input mono',
    inputMode: 'numeric',
    autoComplete: 'off',
    maxLength: BANK_NUMBER_FIELD_MAX,
  } as const;

  return (
    <form method="post" className="mt-4" onSubmit={submit} noValidate aria-labelledby="bank-account-title">
      {problem !== null && <Notice kind="error" title={problem} className="mb-5" />}
      <Field {...field('holder_name')} label="Name on the account">
        <input className="input" autoComplete="name" maxLength={ACCOUNT_HOLDER_MAX} {...control('holder_name')} />
      </Field>
      <fieldset className="field">
        <legend className="field-label">Kind of account</legend>
        <div className="flex flex-wrap gap-x-6">
          {KINDS.map(([value, words]) => (
            <label key={value} className="flex min-h-11 items-center gap-3">
              <input type="radio" value={value} className="radio radio-sm radio-primary" {...register('account_kind')} />
              {words}
            </label>
          ))}
        </div>
      </fieldset>
      <Field {...field('routing_number')} label="Routing number" hint="Nine digits, at the bottom left of a check.">
        <input {...number} {...control('routing_number', true)} />
      </Field>
      <div className="grid gap-x-4 sm:grid-cols-2">
        <Field {...field('account_number')} label="Account number">
          <input {...number} {...control('account_number')} />
        </Field>
        <Field {...field('again')} label="Confirm account number">
          <input {...number} {...control('again')} />
        </Field>
      </div>
      {isChange && (
        <Notice kind="info" title="Before you change it" className="mb-5">
          We don’t pay a new account for at least 48 hours, or for a week after you change your email address. Requests that pay
          you and aren’t at the bank yet must be sent and approved again. We email you about the change.
        </Notice>
      )}
      <div className="flex flex-wrap gap-2">
        <button type="submit" className="btn btn-primary" disabled={isSubmitting} data-busy={isSubmitting}>
          {isSubmitting ? 'Saving…' : 'Save bank account'}
        </button>
        <button type="button" className="btn btn-ghost" onClick={onClose}>
          {isChange ? 'Keep the old one' : 'Not now'}
        </button>
      </div>
    </form>
  );
}
