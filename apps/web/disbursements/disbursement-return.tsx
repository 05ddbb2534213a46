import { needsOtherAccount } from '@case-platform/words/bank-reasons';
import type { Disbursement } from '../api/api-shapes.ts';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';
import type { Me } from '../session/session-shapes.ts';

interface Props {
  disbursement: Pick<Disbursement, 'payee' | 'chain_id'>;
  back: NonNullable<Disbursement['return']>;
  me: Me;
}

/** Says why the bank returned a payment and what to do (RETURN-7). Only a payee who must act gets the button. */
export function DisbursementReturn({ disbursement: { payee, chain_id }, back, me }: Props) {
  const { code, reason, what_to_do, who_acts } = back;
  const isMyTurn = payee.user_id === me.id && who_acts === 'payee';
  return (
    <Notice kind={isMyTurn ? 'waiting' : 'info'} title="The bank sent this payment back" className="mb-6">
      <p>{reason} The money is safe. It’s back in the case.</p>
      <p className="mt-2">{what_to_do}</p>
      {isMyTurn && needsOtherAccount(code) && (
        <p className="mt-3">
          <Link className="btn btn-primary" href="/profile#bank-account">
            Enter another bank account
          </Link>
        </p>
      )}
      {me.userType !== 'admin' && (
        <p className="mt-3">
          If it shouldn’t be paid again,{' '}
          <Link className="link" href={chain_id === null ? '#conversation' : `/messages/${chain_id}`}>
            write to the escrow specialist
          </Link>
          .
        </p>
      )}
    </Notice>
  );
}
