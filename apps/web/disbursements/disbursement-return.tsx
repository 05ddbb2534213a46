import { needsOtherAccount } from '@case-platform/words/bank-reasons';
import type { Disbursement } from '../api/api-shapes.ts';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';

interface Props {
  back: NonNullable<Disbursement['return']>;
  isPayee: boolean;
}

/** Why the bank sent a payment back, and for the payee the one thing to do (decisions, section 14). */
export function DisbursementReturn({ back: { code, reason, what_to_do, who_acts }, isPayee }: Props) {
  const isMyTurn = isPayee && who_acts === 'payee';
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
    </Notice>
  );
}
