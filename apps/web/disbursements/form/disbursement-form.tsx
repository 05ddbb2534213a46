'use client';

import { whatIsLeft } from '@case-platform/words/benefits';
import { AMOUNT_FIELD_MAX, DESCRIPTION_MAX } from '@case-platform/words/limits';
import { AMOUNT_IS_WRONG, dollarsField, readDollars } from '@case-platform/words/money';
import { roleWords } from '@case-platform/words/user-types';
import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { ApiError, errorMessage } from '../../api/api-error.ts';
import type { Benefit, Case, Disbursement, Person } from '../../api/api-shapes.ts';
import { Field } from '../../look/field.tsx';
import { Notice } from '../../look/notice.tsx';
import { useEarlyValue } from '../../look/use-early-value.ts';
import { useTextFields } from '../../look/use-text-fields.ts';
import type { Me } from '../../session/session-shapes.ts';
import { CategoryField } from './category-field.tsx';
import { payeeKey } from './payee-key.ts';
import { type DisbursementFields, saveDisbursement } from './save-disbursement.ts';
import { useRequestDraft } from './use-request-draft.ts';

interface Props {
  me: Me;
  caseId: number;
  /** The cases to choose from; the choice is hidden for fewer than two. */
  cases: readonly Pick<Case, 'id' | 'name'>[];
  /** The people who may be paid. */
  people: readonly Person[];
  categories: readonly string[];
  /** The contract limits of the case, with what is left of each. */
  benefits: readonly Benefit[];
  /** The initial values of the fields. */
  values: DisbursementFields;
  /** The draft to change; undefined for a new request. */
  draft?: Pick<Disbursement, 'id'>;
  /** The scheduled payment that the request claims. */
  scheduledPaymentId?: number | undefined;
}

const RULES: Record<keyof DisbursementFields, (text: string) => string | null> = {
  amount: (text) => (readDollars(text) === null ? AMOUNT_IS_WRONG : null),
  category: (text) => (text === '' ? 'Choose a category.' : null),
  description: (text) => (text.trim() === '' ? 'Say what the money is for.' : null),
  payee: (text) => (text === '' ? 'Choose who gets paid.' : null),
};

/** Creates or edits a draft. It is submitted later from its own page, where receipts are added. */
export function DisbursementForm(props: Props) {
  const { me, caseId, cases, people, categories, benefits, draft, scheduledPaymentId } = props;
  // The page may refresh while the person types, and must not change the values that the form compares with.
  const [values] = useState(props.values);
  const id = useId();
  const router = useRouter();
  const [problem, setProblem] = useState<string | null>(null);
  const place = `request-${draft?.id ?? `new-${caseId}-${scheduledPaymentId ?? 'any'}`}` as const;
  const localDraft = useRequestDraft({ userId: me.id, place, values });
  const fields = useTextFields<keyof DisbursementFields>({ initial: values, rules: RULES, onType: localDraft.keep });
  const { form, errors, isSubmitting, read, set } = fields;
  const bringBack = useEffectEvent(() => {
    for (const [name, value] of localDraft.list()) if (read()[name] === values[name]) set(name, value);
  });
  useEffect(() => bringBack(), []);
  const startOver = () => {
    for (const name of Object.keys(values) as (keyof DisbursementFields)[]) set(name, values[name]);
  };
  const { amount, category } = fields.values;
  const left = whatIsLeft(benefits, { category, amount });
  const submit = fields.submit(async (typed) => {
    setProblem(null);
    try {
      const saved = await saveDisbursement(typed, { ...props, attemptKey: localDraft.attemptKey });
      localDraft.forget();
      router.push(`/disbursements/${saved.id}`);
    } catch (error) {
      const problems = error instanceof ApiError ? Object.entries(error.fields) : [];
      if (!fields.showProblems(Object.fromEntries(problems.map(([name, message]) => [fieldOf(name), message]))))
        setProblem(errorMessage(error));
    }
  });
  const control = (name: keyof DisbursementFields, hint = false) => ({
    id: `${id}-${name}`,
    'aria-describedby': [hint && `${id}-${name}-hint`, errors[name] && `${id}-${name}-error`].filter(Boolean).join(' '),
    ...fields.control(name),
  });
  const field = (name: keyof DisbursementFields) => ({ id: `${id}-${name}`, error: errors[name] });
  const tidyAmount = () => {
    const cents = readDollars(read().amount);
    if (cents !== null) set('amount', dollarsField(cents));
  };

  return (
    <form ref={form} method="post" className="panel p-5" onSubmit={submit} noValidate aria-label="Request">
      {problem !== null && (
        <Notice kind="error" title="Not saved yet" className="mb-5">
          {problem}
        </Notice>
      )}
      {cases.length > 1 && <CaseChoice id={`${id}-case`} cases={cases} caseId={caseId} />}
      <Field {...field('amount')} label="Amount">
        <span className="relative block sm:max-w-56">
          <span className="quiet pointer-events-none absolute top-1/2 left-3 z-1 -translate-y-1/2" aria-hidden="true">
            $
          </span>
          <input
            className="input money w-full ps-7 text-left"
            inputMode="decimal"
            autoComplete="off"
            maxLength={AMOUNT_FIELD_MAX}
            placeholder="0.00"
            {...control('amount')}
            onBlur={tidyAmount}
          />
        </span>
      </Field>
      <CategoryField {...field('category')} categories={categories} control={control('category')} />
      {left !== null && (
        <p className={`-mt-3 mb-4 text-small ${left.isOver ? 'over-benefit' : 'quiet'}`} role="status">
          {left.words}
        </p>
      )}
      <Field {...field('description')} label="What is it for?" hint="The person who approves it reads this.">
        <textarea className="textarea w-full" rows={3} maxLength={DESCRIPTION_MAX} {...control('description', true)} />
      </Field>
      <Field {...field('payee')} label="Who gets paid?">
        <select className="select" {...control('payee')}>
          {me.userType === 'admin' && <option value="">Choose a person</option>}
          {people.map((person) => (
            <option key={payeeKey(person)} value={payeeKey(person)}>
              {person.user_id === me.id ? `Me (${person.name})` : `${person.name}, ${roleWords(person.user_type)}`}
            </option>
          ))}
        </select>
      </Field>
      {localDraft.isKept && (
        <p className="quiet mb-4 text-small" role="status">
          Draft saved on this device.{' '}
          <button type="button" className="link" onClick={startOver}>
            Start over
          </button>
        </p>
      )}
      <FormEnd hint="We save it as a draft, so you can add receipts before you send it.">
        <button type="submit" className="btn btn-primary" disabled={isSubmitting} data-busy={isSubmitting}>
          {isSubmitting ? 'Saving…' : draft === undefined ? 'Save and continue' : 'Save changes'}
        </button>
        <button type="button" className="btn btn-ghost" onClick={() => router.back()}>
          Go back
        </button>
      </FormEnd>
    </form>
  );
}

function CaseChoice({ id, cases, caseId }: Pick<Props, 'cases' | 'caseId'> & { id: string }) {
  const router = useRouter();
  const field = useRef<HTMLSelectElement>(null);
  const choose = (value: string) => router.replace(`/disbursements/new?case_id=${value}`, { scroll: false });
  useEarlyValue(field, String(caseId), choose);
  return (
    <Field id={id} label="Case">
      <select id={id} ref={field} className="select" value={caseId} onChange={(event) => choose(event.target.value)}>
        {cases.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </select>
    </Field>
  );
}

function FormEnd({ hint, children }: { hint: string; children: ReactNode }) {
  return (
    <>
      <div className="flex flex-wrap gap-2">{children}</div>
      <p className="field-hint mt-3">{hint}</p>
    </>
  );
}

/** Returns the form field that shows the API's error about a field. */
function fieldOf(name: string): keyof DisbursementFields {
  // A scheduled payment that does not match is one for another payee (PLAN-3).
  if (name.startsWith('payee') || name === 'scheduled_payment_id') return 'payee';
  return name === 'category' || name === 'description' ? name : 'amount';
}
