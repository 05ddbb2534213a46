import { noLimitWords, requestBenefitWords } from '@case-platform/words/benefits';
import { roleInText } from '@case-platform/words/user-types';
import type { ReactNode } from 'react';
import type { Disbursement, Person } from '../api/api-shapes.ts';
import { Time } from '../look/clock.tsx';
import { MoneyDay } from '../look/due-day.tsx';
import { Link } from '../look/link.tsx';
import type { Me } from '../session/session-shapes.ts';
import { conditionWords } from './disbursement-words.ts';

interface Props {
  disbursement: Disbursement;
  me: Me;
}

export function DisbursementFacts({ disbursement, me }: Props) {
  const { category, payee, submitted_by, submitted_at, approver, decided_at, decision_reason, status } = disbursement;
  const { paid_at, returned_at, return: back, expected_bank_date: day, benefit, whereabouts } = disbursement;
  const who = (person: Person) => (person.user_id === me.id ? 'You' : `${person.name}, ${roleInText(person.user_type)}`);
  const condition = conditionWords(disbursement, me);
  const isUndecided = status === 'draft' || status === 'submitted';
  const decided = status === 'denied' ? 'Denied by' : 'Approved by';
  return (
    <dl className="panel divide-y divide-(--hairline)">
      <Fact name="Category">{category}</Fact>
      {benefit !== null && <Fact name="Contract limit">{requestBenefitWords(benefit)}.</Fact>}
      {benefit === null && isUndecided && <Fact name="Contract limit">{noLimitWords(category)}</Fact>}
      <Fact name="To be paid to">
        {who(payee)}
        {payee.user_id === me.id && (
          <>
            {', to '}
            <Link className="link" href="/profile#bank-account">
              your bank account
            </Link>
          </>
        )}
      </Fact>
      <Fact name={submitted_at === null ? 'Written by' : 'Asked for by'}>
        {who(submitted_by)}
        <When at={submitted_at} />
      </Fact>
      <Fact name={decided_at === null ? 'Approver' : decided}>
        {approver === null ? 'Our staff' : who(approver)}
        <When at={decided_at} />
      </Fact>
      {decision_reason !== null && <Fact name="Reason">{decision_reason}</Fact>}
      {(day !== null || whereabouts.was !== null) && paid_at === null && (
        <Fact name="Arrives">
          {day === null ? 'No day is known now' : <MoneyDay day={day} />}
          {whereabouts.was !== null && (
            <span className="quiet">
              {' (was '}
              <MoneyDay day={whereabouts.was} />: {whereabouts.why})
            </span>
          )}
          {condition !== null && <span className="quiet">, if {condition}</span>}
        </Fact>
      )}
      {paid_at !== null && (
        <Fact name="Paid">
          <Time at={paid_at} />
        </Fact>
      )}
      {returned_at !== null && (
        <Fact name="Sent back by the bank">
          <Time at={returned_at} />
          {back !== null && <span className="mono quiet ms-2">{back.code}</span>}
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 gap-y-0.5 px-4 py-3 sm:grid-cols-[11rem_minmax(0,1fr)]">
      <dt className="quiet text-small">{name}</dt>
      <dd className="wrap-anywhere whitespace-pre-line">{children}</dd>
    </div>
  );
}

function When({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <span className="quiet">
      {' '}
      · <Time at={at} />
    </span>
  );
}
