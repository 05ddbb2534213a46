import { html } from '@case-platform/lib/html';
import type { Frame } from './frame.ts';
import { notice } from './notice.ts';
import { shellPage } from './shell.ts';

/** What a page says instead of its content, by its subject. */
const CLOSED = {
  access: { title: 'Access', words: 'Your role includes neither managing roles nor seeing people.' },
  audit: {
    title: 'Audit log',
    words: 'Your role can’t read it. Someone who manages roles can change that.',
  },
  disbursements: { title: 'Requests', words: 'Your role does not show requests.' },
  disbursement_form: {
    title: 'Requests',
    words: 'Your role does not include this, or you are not on the team of the case.',
  },
  payments: { title: 'Payments', words: 'Your role does not show payments.' },
} as const;

/** Shown to an admin in place of a page whose guard's check does not hold for them. */
export function closedPage(frame: Frame, subject: keyof typeof CLOSED): string {
  const { title, words } = CLOSED[subject];
  const content = html`<div class="page is-wide" data-closed><header class="page-header"><h1 class="page-title">${title}</h1></header>!${notice('info', words)}</div>`;
  return shellPage(frame, { title, content });
}
