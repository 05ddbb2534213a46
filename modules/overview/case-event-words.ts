import type { CasePerson } from '@case-platform/modules/cases';
import { caseStateInWords } from '@case-platform/words/case-states';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';

/** An event of a case, as the tables store it. */
export interface CaseEvent {
  /** The action in the audit log, or the kind of milestone or movement. */
  action: string;
  /** A detail, depending on the action: a state, a note, a file name, a subject, or an amount. */
  what: string | null;
  /** The id of the case, conversation, or request that the event is about. */
  about: number;
  by: CasePerson | null;
}

/** An event in the words for one reader. */
export interface DescribedEvent {
  text: string;
  /** Null for events of the bank or the platform and, unless the reader is staff, for bank steps by staff (REQUEST-15). */
  by: Pick<CasePerson, 'name' | 'user_type'> | null;
  /** The path of its page in the web frontend. */
  url: string;
}

const REQUESTS: Readonly<Record<string, string>> = {
  'disbursement.submit': 'Money requested',
  'disbursement.approve': 'Request approved',
  'disbursement.undo_approval': 'Approval undone',
  'disbursement.deny': 'Request denied',
  'disbursement.cancel': 'Request cancelled',
  'disbursement.remove_approval': 'Approval removed because the bank account changed',
  'disbursement.batch': 'Payment put into the next bank transfer',
  'disbursement.unbatch': 'Payment taken out of the bank transfer',
  'disbursement.send': 'Payment at the bank',
  'disbursement.pay': 'Paid',
  'disbursement.return': 'Payment sent back by the bank',
  'disbursement.retry': 'Payment set to be paid again',
  'disbursement.end': 'Payment ended',
};
const AT_THE_BANK = /^disbursement\.(un)?batch$|^disbursement\.(send|pay|return|retry)$/;

/** Describes one event of a case, and never the text of a message. */
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
