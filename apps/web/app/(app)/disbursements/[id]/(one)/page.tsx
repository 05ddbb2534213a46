import { disbursementStateInWords } from '@case-platform/words/disbursement-states';
import { moneyWords } from '@case-platform/words/money';
import type { Metadata } from 'next';
import Link from 'next/link';
import { tooManyWords } from '../../../../../api/api-error.ts';
import type { BankAccount, CaseDetails, Disbursement } from '../../../../../api/api-shapes.ts';
import { RequestDecision } from '../../../../../disbursements/disbursement-decision.tsx';
import { RequestDraft } from '../../../../../disbursements/disbursement-draft.tsx';
import { RequestFacts } from '../../../../../disbursements/disbursement-facts.tsx';
import { RequestReceipts } from '../../../../../disbursements/disbursement-receipts.tsx';
import { Whereabouts } from '../../../../../disbursements/disbursement-row.tsx';
import { RequestStepper } from '../../../../../disbursements/disbursement-stepper.tsx';
import { RequestTalk } from '../../../../../disbursements/disbursement-talk.tsx';
import { isMaker, mayDecide } from '../../../../../disbursements/disbursement-words.ts';
import { findRequest } from '../../../../../disbursements/find-disbursement.ts';
import { ErrorState } from '../../../../../look/error-state.tsx';
import { FreshOnReturn } from '../../../../../look/fresh-on-return.tsx';
import { Notice } from '../../../../../look/notice.tsx';
import { PageFrame } from '../../../../../look/page-frame.tsx';
import { apiServer } from '../../../../../session/api-server.ts';
import { requireMe } from '../../../../../session/session.ts';
import type { Me } from '../../../../../session/session-shapes.ts';

export const metadata: Metadata = { title: 'Request' };

interface Props {
  params: Promise<{ id: string }>;
}

/** One request: where the money is, who decides, what it is for, its receipts. */
export default async function RequestPage({ params }: Props) {
  const [me, { id }] = await Promise.all([requireMe(), params]);
  const answer = await findRequest(id);
  if (!answer.ok) {
    return (
      <PageFrame title="Request" narrow>
        <ErrorState
          title="We could not load this request"
          text={tooManyWords(answer) ?? 'Nothing has changed about it. Try again.'}
        />
      </PageFrame>
    );
  }
  const request = answer.data;
  const [ofCase, hasNoAccount] = await Promise.all([
    apiServer<CaseDetails>(`/api/cases/${request.case_id}`),
    isPaidTo(me, request) && lacksAccount(),
  ]);
  const { words, mark } = disbursementStateInWords(request.status);
  const isOpen = request.status === 'draft' || request.status === 'submitted';
  const isMine = isMaker(request, me);
  const isOwnDraft = isMine && request.status === 'draft';
  const receipts = <RequestReceipts request={request} mayAdd={isMine && isOpen} mayRemove={isOwnDraft} />;
  return (
    <PageFrame
      narrow
      title={request.description}
      lead={
        <>
          Request <span className="mono">{request.id}</span>
          {ofCase.ok && (
            <>
              {' '}
              of{' '}
              <Link className="link" href={`/cases/${request.case_id}`}>
                {ofCase.data.name}
              </Link>
            </>
          )}
        </>
      }
    >
      <FreshOnReturn />
      <section className="panel mb-6 p-5" aria-label="Where the money is">
        <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <span className="money text-2xl font-semibold">{moneyWords(request.amount_cents)}</span>
          <span className={`state-pill ${mark}`}>{words}</span>
        </div>
        <RequestStepper request={request} />
        <p className="mt-3 text-small">
          <Whereabouts request={request} me={me} />
        </p>
      </section>
      {mayDecide(request, me) && <RequestDecision request={request} />}
      {isMine && isOpen && <RequestDraft request={request} />}
      {hasNoAccount && <NoAccount />}
      {isOwnDraft && receipts}
      <RequestFacts request={request} me={me} />
      {!isOwnDraft && receipts}
      <RequestTalk request={request} me={me} />
    </PageFrame>
  );
}

/** Whether the money is still to reach this person. */
function isPaidTo({ id, userType }: Me, { payee, status }: Disbursement): boolean {
  return payee.user_id === id && userType !== 'admin' && ['draft', 'submitted', 'approved'].includes(status);
}

async function lacksAccount(): Promise<boolean> {
  const account = await apiServer<BankAccount>('/api/user/me/bank-account');
  return !account.ok && account.status === 404;
}

function NoAccount() {
  return (
    <Notice kind="waiting" title="We do not know yet where to pay you" className="mb-6">
      <Link className="link" href="/profile#bank-account">
        Add your bank account
      </Link>
      , so that the money can reach you once it is approved.
    </Notice>
  );
}
