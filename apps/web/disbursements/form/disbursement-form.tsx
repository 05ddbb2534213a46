'use client';

import { AMOUNT_FIELD_MAX, DESCRIPTION_MAX } from '@case-platform/words/limits';
import { AMOUNT_IS_WRONG, dollarsField, readDollars } from '@case-platform/words/money';
import { Send } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useEffect, useEffectEvent, useId, useState } from 'react';
import type { Benefit, Case, Disbursement, Payee } from '../../api/api-shapes.ts';
import { useClock } from '../../look/clock.tsx';
import { Field } from '../../look/field.tsx';
import { Link } from '../../look/link.tsx';
import { Notice } from '../../look/notice.tsx';
import { useTextFields } from '../../look/use-text-fields.ts';
import type { Me } from '../../session/session-shapes.ts';
import { CaseChoice } from './case-choice.tsx';
import { CategoryChips } from './category-chips.tsx';
import { PayeeField } from './payee-field.tsx';
import { payeeKey } from './payee-key.ts';
import { ReceiptField } from './receipt-field.tsx';
import { outlookWords, sendWords } from './request-words.ts';
import type { DisbursementFields } from './save-disbursement.ts';
import { useRequestDraft } from './use-request-draft.ts';
import { useSending } from './use-sending.ts';

interface Props {
  me: Me;
  caseId: number;
  /** The cases to choose from; the choice is hidden for fewer than two. */
  cases: readonly Pick<Case, 'id' | 'name'>[];
  /** The people who may be paid. */
  people: readonly Payee[];
  categories: readonly string[];
  /** The contract limits of the case, with what is left of each. */
  benefits: readonly Benefit[];
  /** The money that the case has available; null for readers who may not see it. */
  availableCents: number | null;
  /** The initial values of the fields. */
  values: DisbursementFields;
  /** The draft to change; undefined for a new request. */
  draft?: Pick<Disbursement, 'id' | 'files'>;
  /** The scheduled payment that the request claims. */
  scheduledPaymentId?: number | undefined;
}

const RULES: Record<keyof DisbursementFields, (text: string) => string | null> = {
  amount: (text) => (readDollars(text) === null ? AMOUNT_IS_WRONG : null),
  category: (text) => (text === '' ? 'Choose a category.' : null),
  description: (text) => (text.trim() === '' ? 'Say what the money is for.' : null),
  payee: (text) => (text === '' ? 'Choose who gets paid.' : null),
};

/** Writes a request on one page, receipt first, and sends it or saves it as a draft. */
export function DisbursementForm(props: Props) {
  const { me, caseId, cases, people, categories, benefits, availableCents, draft, scheduledPaymentId } = props;
  // The page may refresh while the person types, and must not change the values that the form compares with.
  const [values] = useState(props.values);
  const id = useId();
  const router = useRouter();
  const clock = useClock();
  const place = `request-${draft?.id ?? `new-${caseId}-${scheduledPaymentId ?? 'any'}`}` as const;
  const localDraft = useRequestDraft({ userId: me.id, place, values });
  const fields = useTextFields<keyof DisbursementFields>({ initial: values, rules: RULES, onType: localDraft.keep });
  const { form, errors, isSubmitting, read, set, showProblems, leave } = fields;
  const bringBack = useEffectEvent(() => {
    for (const [name, value] of localDraft.list()) {
      const isOffered = name !== 'payee' || people.some((one) => payeeKey(one) === value);
      if (isOffered && read()[name] === values[name]) set(name, value);
    }
  });
  useEffect(() => bringBack(), []);
  const startOver = () => {
    for (const name of Object.keys(values) as (keyof DisbursementFields)[]) set(name, values[name]);
  };
  const target = { caseId, scheduledPaymentId, attemptKey: localDraft.attemptKey, ...(draft === undefined ? {} : { draft }) };
  const sending = useSending({ target, showProblems, onSaved: localDraft.forget, leave });
  const { amount } = fields.values;
  const payee = people.find((one) => payeeKey(one) === fields.values.payee);
  const outlook = outlookWords({ payee, amount, available_cents: availableCents, me: me.id }, clock);
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
  const save = fields.submit((typed) => sending.send(typed, { submits: false }));

  return (
    <form
      ref={form}
      method="post"
      className="panel request-form"
      onSubmit={fields.submit((typed) => sending.send(typed, { submits: true }))}
      noValidate
      aria-label="Request"
    >
      <div className="request-receipt">
        <ReceiptField
          files={sending.files}
          attached={draft?.files.map(({ filename }) => filename) ?? []}
          problem={sending.receiptProblem}
          disabled={isSubmitting}
          onChange={sending.choose}
        />
      </div>
      <div className="request-fields">
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
        <CategoryChips
          {...field('category')}
          categories={categories}
          benefits={benefits}
          initial={values.category}
          values={fields.values}
          onChange={fields.control('category').onChange}
        />
        <Field {...field('description')} label="What is it for?" hint="The person who approves it reads this.">
          <textarea className="textarea w-full" rows={2} maxLength={DESCRIPTION_MAX} {...control('description', true)} />
        </Field>
        <PayeeField {...field('payee')} me={me} people={people} control={control('payee')} />
        {localDraft.isKept && (
          <p className="quiet mb-4 text-small" role="status">
            Draft saved on this device.{' '}
            <button type="button" className="link" onClick={startOver}>
              Start over
            </button>
          </p>
        )}
        {sending.problem !== null && <NotSent problem={sending.problem} savedId={sending.savedId} />}
        {outlook !== null && <p className="mb-4">{outlook}</p>}
        <div className="flex flex-wrap gap-2">
          <button type="submit" className="btn btn-primary max-sm:w-full" disabled={isSubmitting} data-busy={isSubmitting}>
            <Send size={18} aria-hidden="true" />
            {isSubmitting ? (sending.step ?? 'Sending…') : sendWords(amount, payee)}
          </button>
          <button type="button" className="btn max-sm:flex-1" disabled={isSubmitting} onClick={save}>
            {draft === undefined ? 'Save as draft' : 'Save changes'}
          </button>
          <button type="button" className="btn btn-ghost max-sm:flex-1" onClick={() => router.back()}>
            Cancel
          </button>
        </div>
      </div>
    </form>
  );
}

/** Says that the request was not sent, and where it is if it was saved before something failed. */
function NotSent({ problem, savedId }: { problem: string; savedId: number | null }) {
  return (
    <Notice kind="error" title={savedId === null ? 'Not saved yet' : 'Not sent yet'} className="mb-5">
      {problem}{' '}
      {savedId !== null && (
        <>
          It’s saved as a <Link href={`/disbursements/${savedId}`}>draft</Link>. You can try again here.
        </>
      )}
    </Notice>
  );
}
