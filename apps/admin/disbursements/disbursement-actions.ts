import { html } from '@case-platform/lib/html';
import type { Disbursement } from '@case-platform/modules/disbursements';
import { DESCRIPTION_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import type { RefusedForm } from '../form/answer-form.ts';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { refusedAt, textArea } from '../form/fields.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';
import { dayElementInText } from '../page/times.ts';

interface Shown {
  disbursement: Disbursement;
  /** Whether the reader has access to its case. */
  onCase: boolean;
  refused: RefusedForm | undefined;
}

/** Whom a disbursement waits for, and buttons for those who may do the next step. */
export function disbursementActions(frame: Frame<StaffActor>, shown: Shown): string {
  const { disbursement } = shown;
  const { status, waiting_for } = disbursement;
  if (waiting_for === null) return '';
  const steps = status === 'draft' || status === 'submitted' ? nextSteps(frame, shown) : '';
  return html`<section class="panel padded next-step" aria-labelledby="next-step"><h2 class="section-title" id="next-step">What happens next</h2>
  !${whereTheMoneyIs(frame, disbursement)}!${steps}</section>`;
}

function nextSteps(frame: Frame<StaffActor>, { disbursement, onCase, refused }: Shown): string {
  if (!onCase) return '<p class="quiet">You are not on this case’s team, so someone else takes the next step.</p>';
  const step =
    disbursement.status === 'draft' ? submitForm(frame, disbursement) : decision(frame, disbursement, refused);
  return step + editAndCancel(frame, disbursement);
}

/** 'Where is my money' in one line. */
function whereTheMoneyIs(frame: Frame, { waiting_for, expected_bank_date: day, status }: Disbursement): string {
  if (day === null) return html`<p>${waiting_for}.</p>`;
  const when = status === 'batched' ? 'The money arrives' : 'If that happens today, the money arrives';
  return html`<p>${waiting_for}. ${when} !${dayElementInText(day, frame.clock)}.</p>`;
}

/** Whether the reader may change a disbursement: whoever submitted it, and whoever may edit all of them. */
export function mayChange({ actor: { admin, user } }: Frame<StaffActor>, { submitted_by }: Disbursement): boolean {
  return admin.can('edit_drs') || (admin.can('create_drs') && submitted_by.user_id === user.id);
}

function submitForm(frame: Frame<StaffActor>, disbursement: Disbursement): string {
  if (!mayChange(frame, disbursement)) return '';
  return html`<p>Once it is sent, ${disbursement.approver?.name ?? 'staff who may approve'} decides.</p>
  <form method="post" action="/disbursements/${disbursement.id}/submit" class="mt-3">!${csrfField(frame)}<button class="btn btn-primary" type="submit">!${icon('send')}Send request</button></form>`;
}

function decision(
  frame: Frame<StaffActor>,
  { id, amount_cents, payee, submitted_by, version }: Disbursement,
  anyRefused: RefusedForm | undefined,
): string {
  const { admin, user } = frame.actor;
  const amount = moneyWords(amount_cents);
  if (submitted_by.user_id === user.id) return '<p class="quiet">You sent it, so someone else has to decide.</p>';
  if (!admin.can('approve_drs')) return '';
  const approve = confirmDialog(frame, {
    ...{ id: 'approve', button: `Approve ${amount}`, yes: `Approve ${amount}`, no: 'Not yet', isLoss: false },
    title: `Approve ${amount}?`,
    text: `${amount} of the case is set aside for ${payee.name} and goes to the bank with the next batch. The surrogate and the parents are told.`,
    action: `/disbursements/${id}/approve`,
    fields: { version },
    look: 'btn btn-primary',
  });
  const action = `/disbursements/${id}/deny`;
  const refused = refusedAt(action, anyRefused);
  const hint = 'Its submitter and the escrow specialist read it.';
  return html`<div class="mt-3">!${approve}</div>
  <details class="more-ways" !${refused === undefined ? '' : 'open'}><summary>Deny this request</summary><form method="post" action="${action}" class="inline-form">!${csrfField(frame)}<input type="hidden" name="version" value="${version}">
  !${textArea({ name: 'reason', label: 'Reason', hint, rows: 2, max: DESCRIPTION_MAX }, refused)}
  <button class="btn btn-error" type="submit">Deny ${amount}</button>
</form></details>`;
}

function editAndCancel(frame: Frame<StaffActor>, disbursement: Disbursement): string {
  if (!mayChange(frame, disbursement)) return '';
  const { id, amount_cents } = disbursement;
  const edit = frame.actor.admin.can('edit_drs')
    ? html`<a class="btn btn-sm" href="/disbursements/${id}/edit">Edit</a>`
    : '';
  const cancel = confirmDialog(frame, {
    id: 'cancel',
    button: 'Cancel the request',
    yes: 'Cancel the request',
    no: 'Keep it',
    look: 'btn btn-sm btn-ghost',
    title: `Cancel this request for ${moneyWords(amount_cents)}?`,
    text: 'Nothing is paid, and it cannot be sent again. A new one can always be written.',
    action: `/disbursements/${id}/cancel`,
  });
  return html`<div class="button-line mt-3">!${edit}!${cancel}</div>`;
}
