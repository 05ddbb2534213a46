import { dollarsField } from '@case-platform/words/money';
import { redirect } from 'next/navigation';
import { tooManyWords } from '../../api/api-error.ts';
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
  const ofCase = disbursement === null ? null : await findDisbursementCase(disbursement.case_id, me);
  if (disbursement === null || ofCase === null) {
    return (
      <PageFrame title="Change the request" narrow>
        <ErrorState
          title="We couldn’t load this request"
          text={tooManyWords(answer) ?? 'Nothing about it has changed. Try again.'}
        />
      </PageFrame>
    );
  }
  const { category, description, payee, amount_cents, case_id } = disbursement;
  return (
    <PageFrame title="Change the request" lead={ofCase.name} narrow>
      <DisbursementForm
        me={me}
        caseId={case_id}
        cases={[]}
        people={ofCase.people.some((one) => one.user_id === payee.user_id) ? ofCase.people : [payee, ...ofCase.people]}
        // A request may keep a category that is no longer on the list (CATEGORY-1).
        categories={ofCase.categories.includes(category) ? ofCase.categories : [category, ...ofCase.categories]}
        benefits={ofCase.benefits}
        values={{ amount: dollarsField(amount_cents), category, description, payee: payeeKey(payee) }}
        draft={disbursement}
      />
    </PageFrame>
  );
}
