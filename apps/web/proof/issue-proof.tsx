'use client';

import { ADDRESSEE_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { useRouter } from 'next/navigation';
import { useId, useState } from 'react';
import { apiBrowser } from '../api/api-browser.ts';
import { ApiError, errorMessage } from '../api/api-error.ts';
import type { IssuedProof } from '../api/api-shapes.ts';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';
import { useAttemptKey } from '../look/use-attempt-key.ts';
import { useTextFields } from '../look/use-text-fields.ts';

interface Props {
  caseId: number;
  /** The available money of the case, in cents. */
  available: number | null;
}

/** Issues a proof of funds to an addressee. A repeated attempt issues no second one (IDEMPOTENCY-1). */
export function IssueProof({ caseId, available }: Props) {
  const id = useId();
  const router = useRouter();
  const [problem, setProblem] = useState<string | null>(null);
  const attempt = useAttemptKey();
  const fields = useTextFields({
    initial: { addressee: '' },
    rules: { addressee: (text) => (text.trim() === '' ? 'Enter who the proof is for.' : null) },
  });
  const { form, errors, isSubmitting, set, showProblems } = fields;
  const submit = fields.submit(async ({ addressee }) => {
    setProblem(null);
    try {
      const idempotencyKey = attempt.keyFor(addressee);
      await apiBrowser<IssuedProof>(`/api/cases/${caseId}/proofs`, { method: 'POST', body: { addressee }, idempotencyKey });
      attempt.forget();
      set('addressee', '');
      router.refresh();
    } catch (error) {
      if (!(error instanceof ApiError) || !showProblems(error.fields)) setProblem(errorMessage(error));
    }
  });
  if (available !== null && available <= 0)
    return (
      <Notice kind="info" title="There is nothing to prove right now" className="mb-6">
        The case has no money available. You can issue a proof once a deposit has arrived.
      </Notice>
    );
  return (
    <form ref={form} method="post" className="panel mb-6 p-5" onSubmit={submit} noValidate aria-label="New proof of funds">
      {problem !== null && (
        <Notice kind="error" title="The proof wasn’t issued" className="mb-4">
          {problem}
        </Notice>
      )}
      <Field
        id={`${id}-addressee`}
        label="Who is it for?"
        hint={`A clinic or an attorney. The letter states ${available === null ? 'what' : `that ${moneyWords(available)}`} is available.`}
        error={errors.addressee}
      >
        <input
          id={`${id}-addressee`}
          className="input w-full"
          maxLength={ADDRESSEE_MAX}
          autoComplete="off"
          aria-describedby={`${id}-addressee-hint ${id}-addressee-error`}
          {...fields.control('addressee')}
        />
      </Field>
      <button type="submit" className="btn btn-primary" disabled={isSubmitting} data-busy={isSubmitting}>
        {isSubmitting ? 'Issuing…' : 'Issue the proof'}
      </button>
    </form>
  );
}
