'use client';

import { ACCOUNT_HOLDER_MAX, BANK_NUMBER_FIELD_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { useEffect, useId, useRef, useState } from 'react';
import { accountProblem, fieldProblems } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import type { BankAccount, StoppedRequests } from '../api/api-shapes.ts';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';
import { useTextFields } from '../look/use-text-fields.ts';
import { routingNumberProblem } from './routing-number.ts';

/** `again` is the repeated account number, which is not sent. */
type Fields = Record<'holder_name' | 'account_kind' | 'routing_number' | 'account_number' | 'again', string>;

const KINDS = [
  ['checking', 'Checking'],
  ['savings', 'Savings'],
] as const;

const ACCOUNT_NUMBER = /^[0-9A-Za-z][0-9A-Za-z-]{2,15}[0-9A-Za-z]$/;

const withoutSpaces = (text: string) => text.replaceAll(/\s/g, '');

const RULES = {
  holder_name: (text: string) => (text.trim() === '' ? 'Enter the name on the account.' : null),
  routing_number: routingNumberProblem,
  account_number: (text: string) => (ACCOUNT_NUMBER.test(withoutSpaces(text)) ? null : 'An account number has 4 to 17 digits.'),
  again: (text: string, { account_number }: Fields) =>
    withoutSpaces(text) === withoutSpaces(account_number) ? null : 'The account numbers don’t match.',
};

const PATH = '/api/user/me/bank-account';

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
  /** The payments that the change stops; null until they were listed. */
  const [stoppedRequests, setStoppedRequests] = useState<StoppedRequests | null>(null);
  const [resubmit, setResubmit] = useState(true);
  const fields = useTextFields<keyof Fields>({
    initial: { holder_name: holder, account_kind: 'checking', routing_number: '', account_number: '', again: '' },
    rules: RULES,
    checksOnBlur: true,
  });
  const { form, errors, isSubmitting } = fields;

  const save = fields.submit(async ({ again: _, ...body }) => {
    setProblem(null);
    try {
      if (isChange && stoppedRequests === null) {
        const preview = await apiBrowser<StoppedRequests>(PATH, { method: 'PUT', body: { ...body, preview: true } });
        if (preview.stops.length > 0) return setStoppedRequests(preview);
      }
      const more = stoppedRequests === null ? {} : { resubmit };
      onSaved(await apiBrowser<BankAccount>(PATH, { method: 'PUT', body: { ...body, ...more } }));
    } catch (error) {
      const problems = Object.entries(fieldProblems(error)).filter(([name]) => name in body);
      if (!fields.showProblems(Object.fromEntries(problems))) setProblem(accountProblem(error));
    }
  });
  const control = (name: keyof Fields, hint = false) => ({
    id: `${id}-${name}`,
    'aria-describedby': [hint && `${id}-${name}-hint`, errors[name] && `${id}-${name}-error`].filter(Boolean).join(' '),
    ...fields.control(name),
  });
  const field = (name: keyof Fields) => ({ id: `${id}-${name}`, error: errors[name] });
  const number = {
    className: 'input mono',
    inputMode: 'numeric',
    autoComplete: 'off',
    maxLength: BANK_NUMBER_FIELD_MAX,
  } as const;

  return (
    <form ref={form} method="post" className="mt-4" onSubmit={save} noValidate aria-labelledby="bank-account-title">
      {problem !== null && <Notice kind="error" title={problem} className="mb-5" />}
      <Field {...field('holder_name')} label="Name on the account">
        <input
          className="input"
          // biome-ignore lint/a11y/noAutofocus: the person has just asked for this form.
          autoFocus
          autoComplete="name"
          maxLength={ACCOUNT_HOLDER_MAX}
          {...control('holder_name')}
        />
      </Field>
      <fieldset className="field">
        <legend className="field-label">Kind of account</legend>
        <div className="flex flex-wrap gap-x-6">
          {KINDS.map(([value, words]) => (
            <label key={value} className="flex min-h-11 items-center gap-3">
              <input
                type="radio"
                name="account_kind"
                value={value}
                defaultChecked={value === 'checking'}
                className="radio radio-sm radio-primary"
              />
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
          We don’t pay a new account for at least 48 hours, or for a week after you change your email address. Payments that
          aren’t at the bank yet need another approval. We email you about the change.
        </Notice>
      )}
      {stoppedRequests !== null && (
        <WhatItStops stoppedRequests={stoppedRequests} resubmit={resubmit} setResubmit={setResubmit} />
      )}
      <div className="flex flex-wrap gap-2">
        <button type="submit" className="btn btn-primary" disabled={isSubmitting} data-busy={isSubmitting}>
          {isSubmitting ? 'Saving…' : stoppedRequests === null ? 'Save bank account' : 'Change the account'}
        </button>
        <button type="button" className="btn btn-ghost" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface WhatItStopsProps {
  stoppedRequests: StoppedRequests;
  resubmit: boolean;
  setResubmit: (resubmit: boolean) => void;
}

/** Lists the payments that the change stops, before it is saved (BANK-8). */
function WhatItStops({ stoppedRequests: { stops, total_cents }, resubmit, setResubmit }: WhatItStopsProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const count = stops.length === 1 ? 'This payment needs' : `These ${stops.length} payments need`;
  return (
    <section className="mb-5">
      <h3 ref={heading} tabIndex={-1} className="font-semibold">
        {count} another approval: {moneyWords(total_cents)}
      </h3>
      <ul className="my-2">
        {stops.map(({ id, amount_cents, description, category, approver }) => (
          <li key={id} className="flex items-baseline justify-between gap-3 border-base-300 border-b py-2">
            <span className="min-w-0 wrap-anywhere">
              {description}
              <span className="quiet block text-small">
                {category}
                {approver !== null && ` · approved by ${approver.name}`}
              </span>
            </span>
            <span className="money flex-none">{moneyWords(amount_cents ?? 0)}</span>
          </li>
        ))}
      </ul>
      <label className="flex min-h-11 items-center gap-3">
        <input
          type="checkbox"
          className="checkbox"
          checked={resubmit}
          onChange={({ currentTarget }) => setResubmit(currentTarget.checked)}
        />
        Send {stops.length === 1 ? 'it' : 'them'} for approval again now
      </label>
    </section>
  );
}
