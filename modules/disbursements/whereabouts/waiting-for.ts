import { longDayWords } from '@case-platform/words/day-words';
import { dayOf } from '@case-platform/words/days';
import { waitingWords } from '@case-platform/words/disbursement-states';
import type { BankReturn } from '../bank-return.ts';
import type { DisbursementStatus } from '../disbursement-states.ts';

interface Waiting {
  status: DisbursementStatus;
  status_since: Date;
  submitted_by: { name: string };
  approver: { name: string } | null;
  payee: { name: string } | null;
  return: Pick<BankReturn, 'who_acts'> | null;
  bank_has_it: boolean;
}

/** Says in one line who has to act on a request and since when; null once it has ended (REQUEST-14). */
export function waitingFor(request: Waiting): string | null {
  const what = whatFor(request);
  return what === null ? null : waitingWords(what, longDayWords(dayOf(request.status_since, 'UTC')));
}

function whatFor({ status, submitted_by, approver, payee, return: back, bank_has_it }: Waiting): string | null {
  switch (status) {
    case 'draft':
      return `${submitted_by.name} to send it`;
    case 'submitted':
      return `${approver?.name ?? 'our staff'} to approve it`;
    case 'approved':
      return 'our payments team to send it to the bank';
    case 'batched':
      return bank_has_it ? 'the bank to pay it' : 'our payments team to send it to the bank';
    case 'returned':
      return back?.who_acts === 'payee'
        ? `${payee?.name ?? 'the payee'} to help us pay it again`
        : 'the escrow specialist to pay it again';
    default:
      return null;
  }
}
