import { html } from '@case-platform/lib/html';
import type { Disbursement } from '@case-platform/modules/disbursements';
import { DESCRIPTION_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import type { RefusedForm } from '../form/answer-form.ts';
import { refusedAt, textArea } from '../form/fields.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';

/** Pays again what the bank sent back, for those who may, once it can arrive (decisions, section 14). */
export function retryForm(
  frame: Frame<StaffActor>,
  { id, amount_cents, payee, version, return: back }: Disbursement,
  anyRefused: RefusedForm | undefined,
): string {
  const { admin } = frame.actor;
  if (!admin.can('edit_drs')) return '<p class="quiet">The case’s escrow specialist pays it again.</p>';
  if (back?.retry_takes === 'another_account') return accountLink(frame, payee);
  const action = `/disbursements/${id}/retry`;
  const hint = 'We keep your reason with the request.';
  const reason = { name: 'reason', label: 'Why will it arrive this time?', hint, rows: 2, max: DESCRIPTION_MAX };
  const field = back?.retry_takes === 'a_reason' ? textArea(reason, refusedAt(action, anyRefused)) : '';
  return html`<form method="post" action="${action}" class="inline-form">!${csrfField(frame)}<input type="hidden" name="version" value="${version}">
  !${field}
  <p class="quiet">No new approval is needed. ${moneyWords(amount_cents)} is set aside again and goes to ${payee.name} with the next batch.</p>
  <button class="btn btn-primary" type="submit">!${icon('send')}Pay ${moneyWords(amount_cents)} again</button>
</form>`;
}

function accountLink({ actor: { admin } }: Frame<StaffActor>, { user_id, name }: Disbursement['payee']): string {
  if (!admin.can('view_bank_accounts')) return '';
  return html`<p class="mt-3"><a class="btn" href="/bank-accounts/${user_id}">Open ${name}’s bank account</a></p>`;
}
