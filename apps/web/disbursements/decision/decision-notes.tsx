'use client';

import { notCoveredWords } from '@case-platform/words/coverage';
import { accountChangeWords } from '@case-platform/words/payee-account';
import type { Disbursement } from '../../api/api-shapes.ts';
import { useClock } from '../../look/clock.tsx';
import { LimitBar } from './limit-bar.tsx';

/** Facts for the decision: the note of a second submission, the contract limit, and anything that stops the payment. */
export function DecisionNotes({ disbursement }: { disbursement: Disbursement }) {
  const { not_payable: problem, payee, payee_account } = disbursement;
  const accountChange = accountChangeWords(payee.name, payee_account, useClock());
  const resent = disbursement.timeline.findLast(({ event }) => event === 'submitted')?.note ?? null;
  return (
    <>
      {resent !== null && (
        <p className="mt-2">
          <strong>Sent again.</strong> {resent}
        </p>
      )}
      {accountChange !== null && (
        <p className="mt-2" suppressHydrationWarning>
          <strong>{accountChange}</strong>
        </p>
      )}
      {disbursement.covered === false && (
        <p className="over-benefit mt-2">{notCoveredWords({ status: disbursement.status, isStaff: false })}</p>
      )}
      <LimitBar disbursement={disbursement} />
      {problem !== null && (
        <p className="mt-2">
          {problem.sentence} You can’t approve this until the escrow specialist resolves it. You can deny it.
        </p>
      )}
    </>
  );
}
