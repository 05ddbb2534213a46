import { longDayWords } from '@case-platform/words/day-words';
import { dayOf } from '@case-platform/words/days';
import type { DisbursementStatus } from './disbursement-states.ts';

interface Waiting {
  status: DisbursementStatus;
  status_since: Date;
  submitted_by: { name: string };
  approver: { name: string } | null;
}

/** 'Where is my money': in one line, whom a request waits for and since when; null when it has come to its end. */
export function waitingFor(request: Waiting): string | null {
  const what = whatFor(request);
  return what === null ? null : `Waiting for ${what}, since ${longDayWords(dayOf(request.status_since, 'UTC'))}`;
}

function whatFor({ status, submitted_by, approver }: Waiting): string | null {
  switch (status) {
    case 'draft':
      return `${submitted_by.name} to send it`;
    case 'submitted':
      return `${approver?.name ?? 'our staff'} to approve it`;
    case 'approved':
      return 'our payments team to send it to the bank';
    case 'batched':
      return 'the bank to pay it';
    case 'returned':
      return 'the escrow specialist to find out why the bank sent it back';
    default:
      return null;
  }
}
