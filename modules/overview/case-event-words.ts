import type { CasePerson } from '@case-platform/modules/cases';
import { caseStateInWords } from '@case-platform/words/case-states';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';

/** Something that happened in a case, as the tables have it. */
export interface CaseEvent {
  /** The audit log's word, or the milestone's, the movement's. */
  action: string;
  /** What it is called: a state, a note, a file's name, a subject, an amount. */
  what: string | null;
  /** What its page is about: the case, the conversation, the request. */
  about: number;
  by: CasePerson | null;
}

/** The same as one reader is told it. */
export interface DescribedEvent {
  text: string;
  /** Null for what the bank or the platform did, and, to those who are not staff, what staff did at the bank. */
  by: Pick<CasePerson, 'name' | 'user_type'> | null;
  /** Where it stands in the web frontend. */
  url: string;
}

const REQUESTS: Readonly<Record<string, string>> = {
  'disbursement.submit': 'Money requested',
  'disbursement.approve': 'Request approved',
  'disbursement.deny': 'Request denied',
  'disbursement.cancel': 'Request cancelled',
  'disbursement.batch': 'Payment put into the next bank transfer',
  'disbursement.unbatch': 'Payment taken out of the bank transfer',
  'disbursement.pay': 'Paid',
  'disbursement.return': 'Payment sent back by the bank',
  'disbursement.retry': 'Payment set to be paid again',
};
const AT_THE_BANK = /^disbursement\.(un)?batch$|^disbursement\.(pay|return|retry)$/;

/** One line of a case's story: never what a message says. */
export function describeCaseEvent(
  { action, what, about, by }: CaseEvent,
  { caseId, isStaff }: { caseId: number; isStaff: boolean },
): DescribedEvent {
  const who = by === null ? null : { name: by.name, user_type: by.user_type };
  const ofCase = `/cases/${caseId}`;
  const request = REQUESTS[action];
  if (request !== undefined) {
    const isShown = isStaff || !AT_THE_BANK.test(action);
    return { text: `${request}: ${what}`, by: isShown ? who : null, url: `/disbursements/${about}` };
  }
  switch (action) {
    case 'case.create':
      return { text: 'Case opened', by: who, url: ofCase };
    case 'case.change_status':
      return { text: `Case is now ${caseStateInWords(what ?? '').words.toLowerCase()}`, by: who, url: ofCase };
    case 'case.rename_person':
      return { text: what ?? '', by: who, url: ofCase };
    case 'document':
      return { text: `Document added: ${what}`, by: who, url: `${ofCase}#documents` };
    case 'message':
      return { text: what ? `New message in “${what}”` : 'New message', by: who, url: `/messages/${about}` };
    case 'deposit':
      return { text: `${moneyWords(Number(what))} paid in`, by: null, url: ofCase };
    case 'refund':
      return { text: `${moneyWords(Number(what))} paid back to the parents`, by: null, url: ofCase };
    default:
      return { text: what ? `${sentence(action)}: ${what}` : sentence(action), by: who, url: ofCase };
  }
}
