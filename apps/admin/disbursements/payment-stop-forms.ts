import { type Html, html } from '@case-platform/lib/html';
import type { Disbursement, PaymentStop } from '@case-platform/modules/disbursements';
import { DESCRIPTION_MAX, MESSAGE_MAX } from '@case-platform/words/limits';
import { refusedAt, textArea } from '../form/fields.ts';
import { idempotencyField } from '../form/idempotency-field.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';
import { timeElementInText } from '../page/times.ts';

/**
 * Says who stopped all payments to the payee and why, with the form that lets them continue for those who may (BANK-10).
 * @param id the request whose page this is.
 */
export function stoppedPayments(
  frame: Frame<StaffActor>,
  { id, stop }: { id: number; stop: PaymentStop | null },
  anyRefused: RefusedForm | undefined,
): Html {
  if (stop === null) return html``;
  const { payee_name, raised_by_name, raised_at, reason, chain_id, disbursement_id } = stop;
  const links = [
    ...(disbursement_id === id
      ? []
      : [html`<a class="link" href="/disbursements/${disbursement_id}">See the request it was about</a>`]),
    ...(chain_id === null || !frame.actor.admin.can('view_messages')
      ? []
      : [html`<a class="link" href="/messages/${chain_id}">Conversation with ${raised_by_name}</a>`]),
  ];
  return html`<section class="panel padded next-step payment-stop" aria-labelledby="payment-stop">
    <h2 class="section-title" id="payment-stop">${icon('circle-alert')}All payments to ${payee_name} are stopped</h2>
    <p>${raised_by_name} wrote, ${timeElementInText(raised_at, frame.clock)}:</p>
    <blockquote class="stop-reason">${reason}</blockquote>
    ${links.length === 0 ? '' : html`<p class="stop-links">${links}</p>`}
    ${clearForm(frame, { id, stop }, anyRefused)}
  </section>`;
}

function clearForm(
  frame: Frame<StaffActor>,
  { id, stop }: { id: number; stop: PaymentStop },
  anyRefused: RefusedForm | undefined,
): Html {
  if (!frame.actor.admin.can('edit_drs'))
    return html`<p class="quiet mt-3">The case’s escrow specialist can let the payments continue.</p>`;
  const action = `/disbursements/${id}/clear-payments`;
  const hint = 'Only staff read it. Talk to the payee on a number that you know before you clear this.';
  const reason = { id: 'clear-reason', name: 'reason', label: 'What did you find out?', hint, rows: 2, max: DESCRIPTION_MAX };
  return html`<form method="post" action="${action}" class="inline-form" data-busy-words="Clearing…">
    ${csrfField(frame)}
    <input type="hidden" name="stop_id" value="${stop.id}">
    ${textArea(reason, refusedAt(action, anyRefused))}
    <p class="quiet">
      Requests for ${stop.payee_name} can be approved again, and approved payments go out with the next batch. We’ll tell
      ${stop.raised_by_name}.
    </p>
    <button class="btn btn-primary" type="submit">Clear and continue payments</button>
  </form>`;
}

/**
 * Other answers than approving and denying: a question, or an alarm (BANK-10).
 * @param draft the question that the reader can change before sending it.
 */
export function questionForms(
  frame: Frame<StaffActor>,
  { id, payee, alarm }: Disbursement,
  anyRefused: RefusedForm | undefined,
  draft = '',
): Html {
  return html`${frame.actor.admin.can('view_messages') ? questionForm(frame, { id, payee, draft }, anyRefused) : ''}
    ${alarm === null ? alarmForm(frame, { id, payee }, anyRefused) : ''}`;
}

type About = Pick<Disbursement, 'id' | 'payee'>;

function questionForm(
  frame: Frame<StaffActor>,
  { id, payee, draft }: About & { draft: string },
  anyRefused: RefusedForm | undefined,
): Html {
  const action = `/disbursements/${id}/question`;
  const refused = refusedAt(action, anyRefused);
  const hint = 'This starts a conversation about the request. You can still approve or deny it.';
  const question = {
    id: `question-${id}`,
    name: 'text',
    label: 'Your question',
    hint,
    value: draft,
    rows: 2,
    max: MESSAGE_MAX,
  };
  return html`<details class="more-ways" ${refused === undefined ? '' : 'open'}>
    <summary>Ask ${payee.name}</summary>
    <form method="post" action="${action}" class="inline-form" data-busy-words="Sending…">
      ${csrfField(frame)}${idempotencyField()}
      ${textArea(question, refused)}
      <button class="btn btn-primary" type="submit">${icon('send')}Send question</button>
    </form>
  </details>`;
}

function alarmForm(frame: Frame<StaffActor>, { id, payee }: About, anyRefused: RefusedForm | undefined): Html {
  const action = `/disbursements/${id}/alarm`;
  const refused = refusedAt(action, anyRefused);
  const hint = `This stops all payments to ${payee.name} that the bank doesn’t have yet, until the escrow specialist clears them. ${payee.name} sees only that our team is checking the payments.`;
  return html`<details class="more-ways" ${refused === undefined ? '' : 'open'}>
    <summary>I don’t trust this</summary>
    <form method="post" action="${action}" class="inline-form" data-busy-words="Stopping…">
      ${csrfField(frame)}${idempotencyField()}
      ${textArea({ id: `alarm-${id}`, name: 'text', label: 'What looks wrong?', hint, rows: 2, max: MESSAGE_MAX }, refused)}
      <button class="btn btn-error" type="submit">Stop all payments to ${payee.name}</button>
    </form>
  </details>`;
}
