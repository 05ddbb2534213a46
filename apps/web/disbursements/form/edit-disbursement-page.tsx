import { dollarsField } from '@case-platform/words/money';
import { redirect } from 'next/navigation';
import { rejectionWords } from '../../api/api-error.ts';
import type { Payee, Person } from '../../api/api-shapes.ts';
import { ErrorState } from '../../look/error-state.tsx';
import { PageFrame } from '../../look/page-frame.tsx';
import { requireMe } from '../../session/session.ts';
import { isReadable } from '../disbursement-words.ts';
import { findDisbursement } from '../find-disbursement.ts';
import { DisbursementForm } from './disbursement-form.tsx';
import { findDisbursementCase } from './find-disbursement-case.ts';
import { payeeKey } from './payee-key.ts';

interface Props {
  params: Promise<{ id: string }>;
}

/** Edits a draft. Any other disbursement, and a draft that the reader may not read, leads to its own page. */
export async function EditDisbursementPage({ params }: Props) {
  const [me, { id }] = await Promise.all([requireMe(), params]);
  const answer = await findDisbursement(id);
  const disbursement = answer.ok ? answer.data : null;
  if (disbursement !== null && (disbursement.status !== 'draft' || !isReadable(disbursement)))
    redirect(`/disbursements/${disbursement.id}`);
  const caseAnswer = disbursement === null ? null : await findDisbursementCase(disbursement.case_id);
  if (disbursement === null || !caseAnswer?.ok) {
    return (
      <PageFrame title="Change the request" narrow>
        <ErrorState
          title="We couldn’t load this request"
          text={rejectionWords(answer, caseAnswer) ?? 'Nothing about it has changed. Try again.'}
        />
      </PageFrame>
    );
  }
  const ofCase = caseAnswer.data;
  const { category, description, payee, amount_cents, case_id } = disbursement;
  return (
    <PageFrame title="Change the request" lead={ofCase.name}>
      <DisbursementForm
        me={me}
        caseId={case_id}
        cases={[]}
        people={withPayee(ofCase.people, payee)}
        // A request may keep a category that is no longer on the list (CATEGORY-1).
        categories={ofCase.categories.includes(category) ? ofCase.categories : [category, ...ofCase.categories]}
        benefits={ofCase.benefits}
        availableCents={ofCase.availableCents}
        values={{ amount: dollarsField(amount_cents), category, description, payee: payeeKey(payee) }}
        draft={disbursement}
      />
    </PageFrame>
  );
}

/** A draft keeps a payee who is not offered; nothing is known about when the money would arrive. */
function withPayee(people: readonly Payee[], payee: Person): readonly Payee[] {
  if (people.some(({ user_id }) => user_id === payee.user_id)) return people;
  return [{ ...payee, approver: null, arrives: null, decide_by: null, needs_account: false, why: null }, ...people];
}
