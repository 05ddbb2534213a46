import { type Html, html } from '@case-platform/lib/html';
import type { ClosedSubject } from '../guards/closed-subject.ts';
import type { Frame } from './frame.ts';
import { notice } from './notice.ts';
import { shellPage } from './shell.ts';

/** Titles and words of closed pages. */
const CLOSED: Record<ClosedSubject, { title: string; words: string }> = {
  access: { title: 'Access', words: 'Your role can’t see who has access to what.' },
  bank: { title: 'Our bank', words: 'Your role can’t see our bank details.' },
  bank_account: { title: 'Bank account', words: 'Your role can’t see bank accounts.' },
  batch_form: { title: 'New batch', words: 'Your role can’t make batches.' },
  case_edit: { title: 'Edit case', words: 'Your role can’t change cases, or you’re not on this case’s team.' },
  case_form: { title: 'Open a case', words: 'Your role can’t open cases.' },
  audit: {
    title: 'Audit log',
    words: 'Your role can’t see the audit log. Someone who manages roles can change that.',
  },
  disbursements: {
    title: 'Requests',
    words: 'Your role can’t see requests. Someone who manages roles can change that.',
  },
  disbursement_form: {
    title: 'Requests',
    words: 'Your role can’t write requests, or you’re not on this case’s team.',
  },
  invitation: { title: 'Invite a person', words: 'Your role can’t invite people.' },
  messages: {
    title: 'Messages',
    words: 'Your role can’t see conversations. Someone who manages roles can change that.',
  },
  payments: { title: 'Payments', words: 'Your role can’t see payments. Someone who manages roles can change that.' },
  person_form: { title: 'Change a person', words: 'Your role can’t change people’s records.' },
  proofs: { title: 'Proofs of funds', words: 'Your role can’t see this case’s balance, or you’re not on its team.' },
  return_files: { title: 'Return files', words: 'Your role can’t see return files.' },
};

/** Shown to an admin in place of a page for which their role or their cases are not enough. */
export function closedPage(frame: Frame, subject: ClosedSubject): Html {
  const { title, words } = CLOSED[subject];
  const content = html`<div class="page is-wide" data-closed>
    <header class="page-header"><h1 class="page-title">${title}</h1></header>
    ${notice('info', words)}
  </div>`;
  return shellPage(frame, { title, content });
}
