import { type Html, html } from '@case-platform/lib/html';
import type { AuditRecord } from '@case-platform/modules/audit';
import type { Disbursement, RequestBenefit } from '@case-platform/modules/disbursements';
import { noLimitWords, requestBenefitWords } from '@case-platform/words/benefits';
import { notCoveredWords } from '@case-platform/words/coverage';
import { exactDayWords } from '@case-platform/words/day-words';
import { DESCRIPTION_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { accountChangeWords } from '@case-platform/words/payee-account';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { refusedAt, textArea } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import { csrfField } from '../page/shell.ts';
import { whatWasResent } from './disbursement-history.ts';
import { arrival, whomItWaitsFor } from './disbursement-state.ts';
import { questionForms } from './payment-stop-forms.ts';
import { returnedSteps } from './retry-form.ts';

interface Shown {
  disbursement: Disbursement;
  /** The rest of its contract limit after all other requests. */
  benefit: RequestBenefit | null;
  /** Its entries in the audit log, the newest first. */
  history: readonly AuditRecord[];
  /** True if the reader sees its case. */
  onCase: boolean;
  refused: RefusedForm | undefined;
}

/** Says what the request waits for, with the buttons of the next step for people who may take it. */
export function disbursementActions(frame: Frame<StaffActor>, shown: Shown): Html {
  const { disbursement } = shown;
  const { status } = disbursement;
  if (disbursement.waiting_for === null) return html``;
  const isOurs = status === 'draft' || status === 'submitted' || status === 'returned';
  const steps = isOurs ? nextSteps(frame, shown) : '';
  return html`<section class="panel padded next-step" aria-labelledby="next-step">
    <h2 class="section-title" id="next-step">What happens next</h2>
    ${whereTheMoneyIs(frame, disbursement)}
    ${stopNotice(disbursement)}
    ${notCovered(disbursement)}
    ${steps}
  </section>`;
}

/** For people who may see the case's balance: shown before they decide, so that a refusal does not surprise them. */
function notCovered({ covered, status }: Disbursement): Html {
  if (covered !== false) return html``;
  return html`<p class="over-benefit mt-3">${notCoveredWords({ status, isStaff: true })}</p>`;
}

function nextSteps(frame: Frame<StaffActor>, shown: Shown): Html {
  const { disbursement, onCase, refused } = shown;
  if (!onCase) return html`<p class="quiet">You’re not on this case’s team, so someone else takes the next step.</p>`;
  if (disbursement.status === 'returned') return returnedSteps(frame, disbursement, refused);
  const step = disbursement.status === 'draft' ? submitForm(frame, disbursement) : decision(frame, shown);
  return html`${step}${editAndCancel(frame, disbursement)}`;
}

/** 'Where is my money' in one line. */
function whereTheMoneyIs({ clock }: Frame, disbursement: Disbursement): Html {
  const { return: back, whereabouts } = disbursement;
  const waits = whomItWaitsFor(disbursement, clock);
  if (back !== null) return html`<p>The bank sent this payment back: ${back.reason} ${back.what_to_do}</p>`;
  const day = arrival(disbursement, clock);
  if (day === null) return html`<p>${waits}.</p>`;
  const condition = whereabouts.arrives?.if == null ? '' : html`, if ${whereabouts.arrives.if}`;
  const reason = whereabouts.was === null || whereabouts.why === null ? '' : html` ${whereabouts.why}`;
  return html`<p>${waits}. The money ${whereabouts.arrives === null ? 'waits: ' : ''}${day}${condition}.${reason}</p>`;
}

const STOPPED: Partial<Record<Disbursement['status'], string>> = {
  submitted: 'It can’t be approved until then.',
  approved: 'It waits, and it can’t go to the bank until then.',
  batched: 'Its batch can’t be sent until then.',
  returned: 'It can’t be paid again until then.',
};

/** Shown before anyone presses a button that would be refused. A stop of all payments has a panel of its own. */
function stopNotice({ not_payable, status, alarm }: Disbursement): Html {
  if (not_payable === null || alarm !== null) return html``;
  return html`<div class="mt-3">${notice('waiting', `${not_payable.sentence} ${STOPPED[status] ?? ''}`)}</div>`;
}

/** True for its writer with `create_drs`, and for staff with `edit_drs`. */
export function mayChange({ actor: { admin, user } }: Frame<StaffActor>, { submitted_by }: Disbursement): boolean {
  return admin.can('edit_drs') || (admin.can('create_drs') && submitted_by.user_id === user.id);
}

function submitForm(frame: Frame<StaffActor>, disbursement: Disbursement): Html {
  if (!mayChange(frame, disbursement)) return html``;
  return html`<p>Once you send it, ${disbursement.approver?.name ?? 'staff who can approve requests'} decides.</p>
    <form method="post" action="/disbursements/${disbursement.id}/submit" class="mt-3">
      ${csrfField(frame)}
      <button class="btn btn-primary" type="submit">${icon('send')}Send request</button>
    </form>`;
}

function decision(frame: Frame<StaffActor>, { disbursement, benefit, history, refused: anyRefused }: Shown): Html {
  const { id, amount_cents, submitted_by, version } = disbursement;
  const { admin, user } = frame.actor;
  const amount = moneyWords(amount_cents);
  if (submitted_by.user_id === user.id) return html`<p class="quiet">You sent this request, so someone else has to decide.</p>`;
  if (!admin.can('approve_drs')) return html``;
  const action = `/disbursements/${id}/deny`;
  const refused = refusedAt(action, anyRefused);
  const hint = 'The person who asked and the escrow specialist will read it.';
  const resent = whatWasResent(history);
  return html`${resent === null ? '' : html`<p class="mt-3"><strong>Sent again.</strong> ${resent}</p>`}
    ${disbursement.not_payable?.reason === 'under_review' ? '' : approval(frame, disbursement, benefit, anyRefused)}
    <details class="more-ways" ${refused === undefined ? '' : 'open'}>
      <summary>Deny this request</summary>
      <form method="post" action="${action}" class="inline-form">
        ${csrfField(frame)}
        <input type="hidden" name="version" value="${version}">
        ${textArea({ name: 'reason', label: 'Reason', hint, rows: 2, max: DESCRIPTION_MAX }, refused)}
        <button class="btn btn-error" type="submit">Deny ${amount}</button>
      </form>
    </details>
    ${questionForms(frame, disbursement, anyRefused)}`;
}

/**
 * Over what the contract allows, the reason is the confirmation. After a change of the payee's account, a tick confirms the new
 * one (BANK-9).
 */
function approval(
  frame: Frame<StaffActor>,
  { id, amount_cents, category, payee, payee_account, version, whereabouts }: Disbursement,
  benefit: RequestBenefit | null,
  anyRefused: RefusedForm | undefined,
): Html {
  const action = `/disbursements/${id}/approve`;
  const button = `Approve ${moneyWords(amount_cents)}`;
  const { arrives } = whereabouts;
  const day = arrives === null ? '' : ` and should arrive ${exactDayWords(arrives.date, frame.clock)} if you approve it in time`;
  const follows = `${moneyWords(amount_cents)} is set aside for ${payee.name}${day}.`;
  const fits =
    benefit === null
      ? html`<p class="over-benefit mt-3">${noLimitWords(category)}</p>`
      : html`<p class="mt-3">${benefit.category}: ${requestBenefitWords(benefit)}.</p>`;
  const accountChange = accountChangeWords(payee.name, payee_account, frame.clock);
  const facts = html`${accountChange === null ? '' : html`<p class="mt-3"><strong>${accountChange}</strong></p>`}${fits}`;
  const over_by_cents = benefit?.over_by_cents ?? 0;
  if (over_by_cents === 0 && !payee_account?.changed_since_approval) {
    const dialog = confirmDialog(frame, {
      id: 'approve',
      button,
      yes: button,
      no: 'Cancel',
      isLoss: false,
      look: 'btn btn-primary',
      action,
      title: `${button}?`,
      text: `${follows} We’ll tell the surrogate and the parents.`,
      fields: { version, over_by_cents: '0' },
    });
    return html`${facts}<div class="mt-3">${dialog}</div>`;
  }
  const hint = 'Contracts can have exceptions. Everyone on the case can read your reason.';
  const reason = { id: 'approve-reason', name: 'reason', label: 'Why approve more than the contract allows?', hint };
  return html`<div class="${over_by_cents > 0 ? 'over-benefit' : ''}">${facts}</div>
    <form method="post" action="${action}" class="inline-form" data-busy-words="Approving…">
      ${csrfField(frame)}
      <input type="hidden" name="version" value="${version}">
      <input type="hidden" name="over_by_cents" value="${over_by_cents}">
      ${over_by_cents > 0 ? textArea({ ...reason, rows: 2, max: DESCRIPTION_MAX }, refusedAt(action, anyRefused)) : ''}
      ${accountTick(payee_account)}
      <p class="field-hint">${follows}</p>
      <button class="btn btn-primary" type="submit">${button}</button>
    </form>`;
}

function accountTick(account: Disbursement['payee_account']): Html {
  if (account === null || !account.changed_since_approval) return html``;
  return html`<label class="field flex items-center gap-3">
      <input type="checkbox" class="checkbox" name="account_seen" value="${account.version}" required>
      I checked with the payee that …${account.last_four} is their account.
    </label>`;
}

function editAndCancel(frame: Frame<StaffActor>, disbursement: Disbursement): Html {
  if (!mayChange(frame, disbursement)) return html``;
  const { id, amount_cents } = disbursement;
  const edit = frame.actor.admin.can('edit_drs') ? html`<a class="btn btn-sm" href="/disbursements/${id}/edit">Edit</a>` : '';
  const cancel = confirmDialog(frame, {
    id: 'cancel',
    button: 'Cancel the request',
    yes: 'Cancel the request',
    no: 'Keep it',
    look: 'btn btn-sm btn-ghost',
    title: `Cancel this request for ${moneyWords(amount_cents)}?`,
    text: 'Nothing will be paid. You can’t reopen it, but you can write a new one.',
    action: `/disbursements/${id}/cancel`,
  });
  return html`<div class="button-line mt-3">${edit}${cancel}</div>`;
}
