import { tableDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { Download, FileCheck } from 'lucide-react';
import { notFound } from 'next/navigation';
import { isMissing, rejectionWords } from '../api/api-error.ts';
import type { CaseDetails, IssuedProof } from '../api/api-shapes.ts';
import { RefreshOnChange } from '../live/refresh-on-change.tsx';
import { ErrorState } from '../look/error-state.tsx';
import { Link } from '../look/link.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { RefreshOnReturn } from '../look/refresh-on-return.tsx';
import { idInPath } from '../messages/chain-paths.ts';
import { apiServer } from '../session/api-server.ts';
import { requireMe } from '../session/session.ts';
import { IssueProof } from './issue-proof.tsx';
import { WithdrawProof } from './withdraw-proof.tsx';

interface Props {
  params: Promise<{ id: string }>;
}

/** The proofs of funds of a case: a form for a new one, and the list of those that were issued (PROOF-4). */
export async function ProofsPage({ params }: Props) {
  await requireMe();
  const id = idInPath((await params).id);
  if (id === null) notFound();
  const [details, proofs] = await Promise.all([
    apiServer<CaseDetails>(`/api/cases/${id}`),
    apiServer<{ data: IssuedProof[] }>(`/api/cases/${id}/proofs`),
  ]);
  if (!proofs.ok && isMissing(proofs)) notFound();
  return (
    <PageFrame
      title="Proofs of funds"
      lead={
        <Link className="link" href={`/cases/${id}`}>
          {details.ok ? details.data.name : 'Back to the case'}
        </Link>
      }
      narrow
    >
      <RefreshOnReturn />
      <RefreshOnChange caseId={id} />
      {proofs.ok ? (
        <>
          <IssueProof caseId={id} available={details.ok ? (details.data.balance?.available_cents ?? null) : null} />
          <ProofList caseId={id} proofs={proofs.data.data} />
        </>
      ) : (
        <ErrorState
          title="We couldn’t load the proofs"
          text={rejectionWords(proofs) ?? 'Nothing about them has changed. Try again.'}
        />
      )}
    </PageFrame>
  );
}

function ProofList({ caseId, proofs }: { caseId: number; proofs: readonly IssuedProof[] }) {
  if (proofs.length === 0) {
    return (
      <div className="panel empty-state">
        <FileCheck aria-hidden="true" />
        <h2>No proof was issued yet</h2>
        <p>A proof of funds is a letter to a clinic or an attorney. Each one is listed here, and you can withdraw it.</p>
      </div>
    );
  }
  return (
    <section>
      <h2 className="section-title">Issued</h2>
      <ul className="panel divide-y divide-(--hairline)">
        {proofs.map((proof) => (
          <li key={proof.id} className="p-4">
            <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
              <span className="min-w-0 font-medium wrap-anywhere">{proof.addressee}</span>
              <span className="money font-semibold">{moneyWords(proof.amount_cents)}</span>
            </div>
            <p className="quiet mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-small">
              <State proof={proof} />
              <span>
                Issued {tableDayWords(proof.made_at.slice(0, 10))} by {proof.issued_by.name}
              </span>
            </p>
            <div className="mt-3 flex flex-wrap items-center gap-2">
              {proof.withdrawn_at === null && (
                <a className="btn btn-sm" href={`/api/cases/${caseId}/proofs/${proof.id}/file`} download>
                  <Download size={16} aria-hidden="true" />
                  PDF
                </a>
              )}
              <Link className="btn btn-sm" href={`/proof/${proof.code}`}>
                See its page
              </Link>
              {proof.may_withdraw && <WithdrawProof caseId={caseId} proof={proof} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function State({ proof: { holds, withdrawn_at, expires_at } }: { proof: IssuedProof }) {
  if (withdrawn_at !== null)
    return <span className="state-pill is-refused">Withdrawn {tableDayWords(withdrawn_at.slice(0, 10))}</span>;
  if (!holds) return <span className="state-pill is-waiting">No longer holds</span>;
  return <span className="state-pill is-done">Holds until {tableDayWords(expires_at.slice(0, 10))}</span>;
}
