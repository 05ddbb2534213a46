import { caseStateInWords } from '@case-platform/words/case-states';
import { listInWords } from '@case-platform/words/sentence';
import { roleWords } from '@case-platform/words/user-types';
import { HandCoins, SquarePen } from 'lucide-react';
import { notFound } from 'next/navigation';
import { isMissing, rejectionWords } from '../api/api-error.ts';
import type {
  CaseDetails,
  CaseDocument,
  CaseEvent,
  Chain,
  Page,
  CaseProjection as Projection,
  ScheduledPayment,
  SeenDisbursement,
} from '../api/api-shapes.ts';
import { DisbursementRow } from '../disbursements/disbursement-row.tsx';
import { RefreshOnChange } from '../live/refresh-on-change.tsx';
import { ErrorState } from '../look/error-state.tsx';
import { Link } from '../look/link.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { PersonLine } from '../look/person.tsx';
import { RefreshOnReturn } from '../look/refresh-on-return.tsx';
import { ChainList } from '../messages/chain-list.tsx';
import { chainsPath, idInPath } from '../messages/chain-paths.ts';
import { type ApiAnswer, apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import type { Me } from '../session/session-shapes.ts';
import { CaseProjection } from '../statements/case-projection.tsx';
import { CaseActivity } from './case-activity.tsx';
import { CaseBalance } from './case-balance.tsx';
import { CaseCalendar } from './case-calendar.tsx';
import { CaseDocuments } from './case-documents.tsx';
import { CaseMilestones } from './case-milestones.tsx';
import { readCase } from './case-title.ts';

interface Props {
  params: Promise<{ id: string }>;
}

const DISBURSEMENTS_SHOWN = 5;
const EVENTS_SHOWN = 10;

export async function CasePage({ params }: Props) {
  const me = await requireMe();
  const id = idInPath((await params).id);
  if (id === null) notFound();
  const [details, disbursements, payments, projection, chains, documents, activity] = await Promise.all([
    readCase(id),
    apiServer<Page<SeenDisbursement>>(`/api/cases/${id}/disbursements?limit=${DISBURSEMENTS_SHOWN}`),
    apiServer<Page<ScheduledPayment>>(`/api/cases/${id}/scheduled-payments?limit=100`),
    apiServer<Projection>(`/api/cases/${id}/projection`),
    apiServer<Page<Chain>>(chainsPath({ caseId: id })),
    apiServer<Page<CaseDocument>>(`/api/cases/${id}/documents`),
    apiServer<Page<CaseEvent>>(`/api/cases/${id}/timeline?limit=${EVENTS_SHOWN}`),
  ]);
  if (!details.ok) {
    if (isMissing(details)) notFound();
    return (
      <PageFrame title="Case">
        <ErrorState
          title="We couldn’t load this case"
          text={rejectionWords(details) ?? 'Nothing about it has changed. Try again.'}
        />
      </PageFrame>
    );
  }
  const { name, status, milestones, balance } = details.data;
  const state = caseStateInWords(status);
  const mayAsk = status !== 'closed' && status !== 'cancelled';
  const write = `/messages/new?case=${id}`;
  return (
    <PageFrame
      title={name}
      lead={<span className={`state-pill ${state.mark}`}>{state.words}</span>}
      action={
        <Link className="btn btn-primary" href={write}>
          <SquarePen size={18} aria-hidden="true" />
          Write a message
        </Link>
      }
    >
      <RefreshOnReturn />
      <RefreshOnChange caseId={id} />
      <section>
        <h2 className="section-title">
          Money
          {mayAsk && (
            <Link className="link inline-flex items-center gap-1.5" href={`/disbursements/new?case_id=${id}`}>
              <HandCoins size={16} aria-hidden="true" />
              Request money
            </Link>
          )}
        </h2>
        {balance !== null && <CaseBalance balance={balance} />}
        {balance !== null && (
          <p className="-mt-1 mb-4">
            <Link className="link" href={`/cases/${id}/statement`}>
              Statement
            </Link>
            <Link className="link ms-4" href={`/cases/${id}/proofs`}>
              Proofs of funds
            </Link>
          </p>
        )}
        <Disbursements answer={disbursements} me={me} />
      </section>
      <NotLoaded
        parts={{
          'the scheduled payments': payments,
          'the months ahead': projection,
          'the documents': documents,
          'the activity': activity,
        }}
      />
      <People details={details.data} />
      {payments.ok && <CaseCalendar payments={payments.data.data} mayAsk={mayAsk} />}
      {projection.ok && <CaseProjection projection={projection.data} />}
      <CaseMilestones milestones={milestones} />
      {documents.ok && <CaseDocuments caseId={id} initial={documents.data} />}
      <section className="print:hidden">
        <h2 className="section-title">Messages</h2>
        <div className="panel overflow-hidden">
          <ChainList
            me={me}
            filter={{ caseId: id }}
            initial={chains.ok ? chains.data : undefined}
            emptyText="Nobody has written about this case yet."
            newHref={write}
          />
        </div>
      </section>
      {activity.ok && <CaseActivity caseId={id} initial={activity.data} />}
    </PageFrame>
  );
}

function Disbursements({ answer, me }: { answer: ApiAnswer<Page<SeenDisbursement>>; me: Me }) {
  if (!answer.ok) {
    return (
      <ErrorState
        title="We couldn’t load the requests"
        text={rejectionWords(answer) ?? 'Nothing about them has changed. Try again.'}
      />
    );
  }
  if (answer.data.data.length === 0) {
    return <p className="panel quiet p-4 text-small">No requests yet. When someone asks for money, you’ll see it here.</p>;
  }
  return (
    <>
      <ul className="row-list panel overflow-hidden">
        {answer.data.data.map((disbursement) => (
          <li key={disbursement.id}>
            <DisbursementRow disbursement={disbursement} me={me} />
          </li>
        ))}
      </ul>
      {answer.data.next_cursor !== null && (
        <p className="mt-3 text-center">
          <Link className="btn btn-sm" href="/disbursements">
            All requests
          </Link>
        </p>
      )}
    </>
  );
}

/** Names the parts that could not be loaded. Without it, someone might think that no payments are planned. */
function NotLoaded({ parts }: { parts: Record<string, ApiAnswer<unknown>> }) {
  const failed = Object.entries(parts).filter(([, answer]) => !answer.ok && !isMissing(answer));
  if (failed.length === 0) return null;
  return (
    <ErrorState
      title={`We couldn’t load ${listInWords(failed.map(([name]) => name))}`}
      text={rejectionWords(...failed.map(([, answer]) => answer)) ?? 'Nothing about this case has changed. Try again.'}
    />
  );
}

function People({ details: { people, escrow_specialist, approver } }: { details: CaseDetails }) {
  const others = people.filter(({ user_id }) => user_id !== escrow_specialist?.user_id);
  return (
    <section>
      <h2 className="section-title">People on this case</h2>
      <ul className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
        {escrow_specialist !== null && (
          <li>
            <PersonLine name={escrow_specialist.name} note="Escrow specialist" staff />
          </li>
        )}
        {others.map((person) => (
          <li key={`${person.user_type}-${person.user_id}`}>
            <PersonLine
              name={person.name}
              note={roleWords(person.user_type) + (person.user_id === approver?.user_id ? ', approves requests' : '')}
              staff={person.user_type === 'admin'}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
