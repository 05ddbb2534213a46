import { type Html, html } from '@case-platform/lib/html';
import type { CashEntry } from '@case-platform/modules/ledger';
import { MEMO_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { refusedAt, textField } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { csrfField } from '../page/shell.ts';
import { timeElementInText } from '../page/times.ts';

/** Deposits and refunds that wait for a second person, each with the buttons that the reader may use. */
export function cashEntries(frame: Frame<StaffActor>, entries: CashEntry[], refused: RefusedForm | undefined): Html {
  if (entries.length === 0) return html``;
  return html`<section aria-labelledby="cash">
    <h2 class="section-title" id="cash">Waiting for a second person</h2>
    <ul class="row-list panel">${entries.map((entry) => row(frame, entry, refused))}</ul>
  </section>`;
}

function row(frame: Frame<StaffActor>, entry: CashEntry, refused: RefusedForm | undefined): Html {
  const { kind, amount_cents, memo, status, recorded_by_name, recorded_at } = entry;
  const pill =
    status === 'waiting'
      ? html`<span class="state-pill is-waiting">Not counted yet</span>`
      : html`<span class="state-pill is-refused">Refused</span>`;
  return html`<li class="list-row is-plain">
    <span class="row-who">${sentence(kind)}</span>
    <span class="row-when"><span class="money">${kind === 'deposit' ? '+' : '−'}${moneyWords(amount_cents)}</span></span>
    <span class="row-what quiet">${memo || 'No note'}</span>
    <span class="row-state">${pill}</span>
    <span class="row-note">
      Recorded by ${recorded_by_name},
      ${timeElementInText(recorded_at, frame.clock)}${status === 'waiting' ? nextStep(frame, entry, refused) : refusedBy(entry)}
    </span>
  </li>`;
}

function refusedBy({ decided_by_name, decision_reason }: CashEntry): Html {
  return html`<br>${decided_by_name} refused it: ${decision_reason}`;
}

function nextStep(frame: Frame<StaffActor>, entry: CashEntry, refused: RefusedForm | undefined): Html {
  const nobody = entry.has_second
    ? ''
    : ' Nobody can do that right now. It takes another person who can make payments and has access to this case.';
  if (!frame.actor.admin.can('make_payments')) return html`<br>A second person has to confirm it.${nobody}`;
  const refuse = refuseForm(frame, entry, refused);
  if (entry.is_own) return html`<br>You recorded it, so someone else has to confirm it.${nobody}${refuse}`;
  return html`<form
      method="post"
      action="/cases/${entry.case_id}/money/${entry.id}/confirm"
      class="mt-3"
      data-busy-words="Confirming…"
    >
      ${csrfField(frame)}
      <input type="hidden" name="version" value="${entry.version}">
      <button class="btn btn-sm btn-primary" type="submit">Confirm ${moneyWords(entry.amount_cents)}</button>
    </form>
    ${refuse}`;
}

function refuseForm(frame: Frame, { case_id, id, version, is_own }: CashEntry, anyRefused: RefusedForm | undefined): Html {
  const words = is_own ? 'Take it back' : 'Refuse';
  const action = `/cases/${case_id}/money/${id}/refuse`;
  const refused = refusedAt(action, anyRefused);
  return html`<details class="more-ways" ${refused === undefined ? '' : 'open'}>
    <summary>${words}</summary>
    <form method="post" action="${action}" class="inline-form">
      ${csrfField(frame)}
      <input type="hidden" name="version" value="${version}">
      ${textField({ id: `reason-${id}`, name: 'reason', label: 'Why?', max: MEMO_MAX }, refused)}
      <button class="btn btn-sm btn-error" type="submit">${words}</button>
    </form>
  </details>`;
}
