import { type Html, html } from '@case-platform/lib/html';
import type { Disbursement } from '@case-platform/modules/disbursements';
import { DESCRIPTION_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { refusedAt, textArea } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';

/** Offers to pay a returned request again (RETRY-1), to end it (WHERE-5), or to write to the people concerned. */
export function returnedSteps(frame: Frame<StaffActor>, disbursement: Disbursement, refused: RefusedForm | undefined): Html {
  return html`${retryForm(frame, disbursement, refused)}
    ${notAgain(frame, disbursement, refused)}
    ${writeLink(frame, disbursement)}`;
}

/** For those who may, once it can arrive. */
function retryForm(
  frame: Frame<StaffActor>,
  { id, amount_cents, payee, version, return: back }: Disbursement,
  anyRefused: RefusedForm | undefined,
): Html {
  const { admin } = frame.actor;
  if (!admin.can('edit_drs')) return html`<p class="quiet">The case’s escrow specialist can pay it again.</p>`;
  if (back?.retry_needs === 'another_account') return accountLink(frame, payee);
  const action = `/disbursements/${id}/retry`;
  const hint = 'We keep your reason with the request.';
  const reason = { name: 'reason', label: 'Why will it arrive this time?', hint, rows: 2, max: DESCRIPTION_MAX };
  const field = back?.retry_needs === 'a_reason' ? textArea(reason, refusedAt(action, anyRefused)) : '';
  return html`<form method="post" action="${action}" class="inline-form">
    ${csrfField(frame)}
    <input type="hidden" name="version" value="${version}">
    ${field}
    <p class="quiet">
      No new approval is needed. ${moneyWords(amount_cents)} is set aside again and goes to ${payee.name} with the next batch.
    </p>
    <button class="btn btn-primary" type="submit">${icon('send')}Pay ${moneyWords(amount_cents)} again</button>
  </form>`;
}

/** Ends the request with a reason (WHERE-5). */
function notAgain(
  frame: Frame<StaffActor>,
  { id, amount_cents, version }: Disbursement,
  anyRefused: RefusedForm | undefined,
): Html {
  if (!frame.actor.admin.can('edit_drs')) return html``;
  const action = `/disbursements/${id}/end`;
  const refused = refusedAt(action, anyRefused);
  const hint = 'The payee, the parents, and everyone who dealt with it read this.';
  const reason = { id: 'end-reason', name: 'reason', label: 'Why won’t it be paid again?', hint };
  return html`<details class="more-ways" ${refused === undefined ? '' : 'open'}>
    <summary>Don’t pay it again</summary>
    <form method="post" action="${action}" class="inline-form">
      ${csrfField(frame)}
      <input type="hidden" name="version" value="${version}">
      ${textArea({ ...reason, rows: 2, max: DESCRIPTION_MAX }, refused)}
      <p class="quiet">${moneyWords(amount_cents)} stays available in the case. You can’t undo this.</p>
      <button class="btn btn-error" type="submit">End this payment</button>
    </form>
  </details>`;
}

/** Offers to write to the people concerned before deciding. */
function writeLink(
  { actor: { admin, user } }: Frame<StaffActor>,
  { id, case_id, chain_id, category, amount_cents, submitted_by, payee }: Disbursement,
): Html {
  if (!admin.can('view_messages')) return html``;
  const subject = `Request ${id}: ${sentence(category)}, ${moneyWords(amount_cents)}`;
  const first = `/messages/new?${new URLSearchParams({ case_id: String(case_id), subject })}`;
  const href = chain_id === null ? first : `/messages/${chain_id}`;
  if (!admin.can('edit_drs'))
    return html`<p class="quiet mt-3">
      If it shouldn’t be paid again, <a class="link" href="${href}">write to the escrow specialist</a>.
    </p>`;
  const { name } = submitted_by.user_id === user.id ? payee : submitted_by;
  return html`<p class="quiet mt-3">
    Not sure yet? <a class="link" href="${href}">Write to ${name}</a>.
  </p>`;
}

function accountLink({ actor: { admin } }: Frame<StaffActor>, { user_id, name }: Disbursement['payee']): Html {
  if (!admin.can('view_bank_accounts')) return html``;
  return html`<p class="mt-3"><a class="btn" href="/bank-accounts/${user_id}">Open ${name}’s bank account</a></p>`;
}
