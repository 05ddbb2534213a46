import { type Html, html } from '@case-platform/lib/html';
import type { DraftOfAnother, PaymentStop } from '@case-platform/modules/disbursements';
import { unreadDraftWords } from '@case-platform/words/disbursement-states';
import { userTypeInWords } from '@case-platform/words/user-types';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { notice } from '../page/notice.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { disbursementState, disbursementStepper } from './disbursement-state.ts';
import { stoppedPayments } from './payment-stop-forms.ts';

interface DraftView {
  draft: DraftOfAnother;
  /** The stop of all payments to its payee. */
  stop: PaymentStop | null;
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** The page of another person's draft: that it exists and whose it is, without its content (DRAFT-1). */
export function draftPage(frame: Frame<StaffActor>, { draft, stop, done, refused }: DraftView): Html {
  const { id, case_id, case_name, status, submitted_by, created_at, updated_at } = draft;
  const { name: title, why } = unreadDraftWords(status, submitted_by.name);
  const content = html`<div class="page is-roomy" data-case="${case_id}" data-shows="outline">
    <header class="page-header">
      ${backLink('/disbursements', 'Back to all requests')}
      <h1 class="page-title">${title}</h1>
      <p class="page-lead" id="request-state" data-live>
        ${disbursementState(draft)} Request <span class="mono">${id}</span> of
        <a class="link" href="/cases/${case_id}">${case_name}</a>
      </p>
    </header>
    ${formNotices({ done, refused })}
    <div id="request-steps" data-live>${disbursementStepper(draft)}</div>
    ${stoppedPayments(frame, { id, stop }, refused)}
    ${notice('info', why)}
    <section aria-labelledby="facts">
      <h2 class="section-title" id="facts">Details</h2>
      <dl class="facts panel padded" id="request-facts" data-live>
        <dt>Written by</dt>
        <dd>${submitted_by.name}, ${userTypeInWords(submitted_by.user_type).toLowerCase()}</dd>
        <dt>Written</dt>
        <dd>${timeElement(created_at, frame.clock)}</dd>
        <dt>Changed</dt>
        <dd>${timeElement(updated_at, frame.clock)}</dd>
      </dl>
    </section>
  </div>`;
  return shellPage(frame, { title, content, scripts: ['request.js'] });
}
