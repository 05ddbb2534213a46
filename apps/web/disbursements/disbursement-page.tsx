import { notCoveredWords } from '@case-platform/words/coverage';
import { moneyWords } from '@case-platform/words/money';
import { placeInWords } from '@case-platform/words/whereabouts';
import { rejectionWords } from '../api/api-error.ts';
import type { BankAccount, CaseDetails, Disbursement } from '../api/api-shapes.ts';
import { RefreshOnChange } from '../live/refresh-on-change.tsx';
import { ErrorState } from '../look/error-state.tsx';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { RefreshOnReturn } from '../look/refresh-on-return.tsx';
import { apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import type { Me } from '../session/session-shapes.ts';
import { DecisionPanel } from './decision/decision-panel.tsx';
import { DisbursementConversation } from './disbursement-conversation.tsx';
import { DisbursementDraft } from './disbursement-draft.tsx';
import { DisbursementFacts } from './disbursement-facts.tsx';
import { DisbursementReturn } from './disbursement-return.tsx';
import { MoneyProgress } from './disbursement-row.tsx';
import { DisbursementStepper } from './disbursement-stepper.tsx';
import { DisbursementTimeline } from './disbursement-timeline.tsx';
import { canDecide, isMaker, isReadable } from './disbursement-words.ts';
import { findDisbursement } from './find-disbursement.ts';
import { OthersDraftPage } from './others-draft.tsx';
import { DisbursementReceipts } from './receipts/disbursement-receipts.tsx';

interface Props {
  params: Promise<{ id: string }>;
}

/** On a wide screen, a large receipt beside the decision and the facts. */
const BESIDE =
  'lg:grid lg:grid-cols-[1.1fr_1fr] lg:items-start lg:gap-6 lg:[&_.section-title]:mt-0 lg:[&_img]:max-h-144 lg:[&_img]:w-full';

export async function DisbursementPage({ params }: Props) {
  const [me, { id }] = await Promise.all([requireMe(), params]);
  const answer = await findDisbursement(id);
  if (!answer.ok) {
    return (
      <PageFrame title="Request" narrow>
        <ErrorState
          title="We couldn’t load this request"
          text={rejectionWords(answer) ?? 'Nothing about it has changed. Try again.'}
        />
      </PageFrame>
    );
  }
  const disbursement = answer.data;
  if (!isReadable(disbursement)) return <OthersDraftPage draft={disbursement} />;
  const [ofCase, hasNoAccount] = await Promise.all([
    apiServer<CaseDetails>(`/api/cases/${disbursement.case_id}`),
    isPaidTo(me, disbursement) && lacksAccount(),
  ]);
  const { label, mark } = placeInWords(disbursement.whereabouts.state);
  const isOpen = disbursement.status === 'draft' || disbursement.status === 'submitted';
  const isMine = isMaker(disbursement, me);
  const decides = canDecide(disbursement, me);
  const isOwnDraft = isMine && disbursement.status === 'draft';
  const receipts = (
    // The key keeps the element when it moves because the request is submitted, so that a running upload continues.
    <DisbursementReceipts key="receipts" disbursement={disbursement} mayAdd={isMine && isOpen} mayRemove={isOwnDraft} />
  );
  const facts = <DisbursementFacts disbursement={disbursement} me={me} />;
  return (
    <PageFrame
      narrow={!decides}
      title={disbursement.description}
      lead={
        <>
          Request <span className="mono">{disbursement.id}</span>
          {ofCase.ok && (
            <>
              {' '}
              of{' '}
              <Link className="link" href={`/cases/${disbursement.case_id}`}>
                {ofCase.data.name}
              </Link>
            </>
          )}
        </>
      }
    >
      <RefreshOnReturn />
      <RefreshOnChange caseId={disbursement.case_id} />
      <section className="panel mb-6 p-5" aria-label="Where the money is">
        <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <span className="money text-2xl font-semibold">{moneyWords(disbursement.amount_cents)}</span>
          <span className={`state-pill ${mark}`}>{label}</span>
        </div>
        <DisbursementStepper disbursement={disbursement} />
        <p className="mt-3 text-small">
          <MoneyProgress disbursement={disbursement} me={me} />
        </p>
        {disbursement.covered === false && !decides && (
          <p className="over-benefit mt-2 text-small">{notCoveredWords({ status: disbursement.status, isStaff: false })}</p>
        )}
      </section>
      {/* The parts keep their places when the decision is made, so that its outcome stays. */}
      <div className={decides ? BESIDE : ''}>
        {decides ? receipts : null}
        {/* On a wide screen the decision stays in view beside a long receipt. */}
        <div className={decides ? 'max-lg:mt-6 lg:sticky lg:top-6' : ''}>
          <DecisionPanel disbursement={disbursement} decides={decides} />
          {decides && facts}
        </div>
      </div>
      {isMine && isOpen && <DisbursementDraft disbursement={disbursement} />}
      {disbursement.return !== null && <DisbursementReturn disbursement={disbursement} back={disbursement.return} me={me} />}
      {hasNoAccount ? <NoAccount /> : <OnHold disbursement={disbursement} />}
      {isOwnDraft && receipts}
      {!decides && facts}
      {!isOwnDraft && !decides && receipts}
      <DisbursementTimeline timeline={disbursement.timeline} me={me} />
      <DisbursementConversation disbursement={disbursement} me={me} />
    </PageFrame>
  );
}

/** True if the reader is the payee and the request is not in a batch yet. */
function isPaidTo({ id, userType }: Me, { payee, status }: Disbursement): boolean {
  return payee.user_id === id && userType !== 'admin' && ['draft', 'submitted', 'approved'].includes(status);
}

async function lacksAccount(): Promise<boolean> {
  const account = await apiServer<BankAccount>('/api/user/me/bank-account');
  return !account.ok && account.status === 404;
}

/** Explains why an approved payment does not go to the bank yet (PAYABLE-1). */
function OnHold({ disbursement: { status, not_payable } }: { disbursement: Disbursement }) {
  if (status !== 'approved' || not_payable === null) return null;
  return (
    <Notice kind="waiting" title="This payment is on hold" className="mb-6">
      {not_payable.sentence} We send it once that’s resolved.
    </Notice>
  );
}

function NoAccount() {
  return (
    <Notice kind="waiting" title="We don’t know where to pay you yet" className="mb-6">
      <Link className="link" href="/profile#bank-account">
        Add your bank account
      </Link>{' '}
      so the money can reach you once it’s approved.
    </Notice>
  );
}
