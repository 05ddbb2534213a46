import { dollarsField } from '@case-platform/words/money';
import { rejectionWords } from '../../api/api-error.ts';
import type { Case, Page, ScheduledPayment } from '../../api/api-shapes.ts';
import { ErrorState } from '../../look/error-state.tsx';
import { PageFrame } from '../../look/page-frame.tsx';
import { RefreshOnReturn } from '../../look/refresh-on-return.tsx';
import { idInPath } from '../../messages/chain-paths.ts';
import { apiServer } from '../../session/api-server.ts';
import { requireMe } from '../../session/session.ts';
import { DisbursementForm } from './disbursement-form.tsx';
import { type DisbursementCase, findDisbursementCase } from './find-disbursement-case.ts';
import { payeeKey } from './payee-key.ts';

interface Props {
  searchParams: Promise<{ case_id?: string | string[]; payment?: string | string[] }>;
}

/** The form for a new disbursement. The scheduled payment in `payment` prefills it. */
export async function NewDisbursementPage({ searchParams }: Props) {
  const [me, search, cases] = await Promise.all([requireMe(), searchParams, apiServer<Page<Case>>('/api/cases?limit=100')]);
  const open = cases.ok ? cases.data.data.filter(({ status }) => status !== 'closed' && status !== 'cancelled') : [];
  const chosen = open.find(({ id }) => id === idOf(search.case_id)) ?? open[0];
  if (cases.ok && chosen === undefined) return <NoCase />;
  const answer = chosen === undefined ? null : await findDisbursementCase(chosen.id);
  if (!answer?.ok) {
    return (
      <PageFrame title="Request money" narrow>
        <ErrorState
          title="We couldn’t load your case"
          text={rejectionWords(cases, answer) ?? 'Nothing has been asked for yet. Try again.'}
        />
      </PageFrame>
    );
  }
  const ofCase = answer.data;
  const payment = ofCase.planned.find(({ id }) => id === idOf(search.payment));
  return (
    <PageFrame title="Request money" {...(open.length > 1 && payment === undefined ? {} : { lead: ofCase.name })}>
      <RefreshOnReturn />
      <DisbursementForm
        key={`${ofCase.id} ${payment?.id ?? 'any'}`}
        me={me}
        caseId={ofCase.id}
        cases={payment === undefined ? open : []}
        people={ofCase.people}
        // A request for a scheduled payment has the category of that payment.
        categories={payment === undefined ? ofCase.categories : [payment.category]}
        benefits={ofCase.benefits}
        availableCents={ofCase.availableCents}
        values={valuesFor(ofCase, payment)}
        scheduledPaymentId={payment?.id}
      />
    </PageFrame>
  );
}

function valuesFor({ people, categories }: DisbursementCase, payment: ScheduledPayment | undefined) {
  // A scheduled payment without a payee is for the surrogate (PLAN-3).
  const surrogate = payment && people.find(({ user_type }) => user_type === 'surrogate');
  const payee = people.find(({ user_id }) => user_id === payment?.payee?.user_id) ?? surrogate ?? people.at(0);
  return {
    amount: payment === undefined ? '' : dollarsField(payment.amount_cents),
    // A case without contract limits has one category, which needs no choice.
    category: payment?.category ?? (categories.length === 1 ? (categories[0] ?? '') : ''),
    description: payment?.description ?? '',
    payee: payee === undefined ? '' : payeeKey(payee),
  };
}

function NoCase() {
  return (
    <PageFrame title="Request money" narrow>
      <div className="panel empty-state">
        <h2>You have no open case</h2>
        <p>Requests belong to a case. When you’re on an open one, you can request money here.</p>
      </div>
    </PageFrame>
  );
}

function idOf(value: string | string[] | undefined): number | null {
  return typeof value === 'string' ? idInPath(value) : null;
}
