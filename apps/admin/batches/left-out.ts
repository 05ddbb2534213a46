import { type Html, html } from '@case-platform/lib/html';
import type { ReadyRequest } from '@case-platform/modules/banking';
import type { NotPayableReason } from '@case-platform/modules/disbursements';
import { dayOf } from '@case-platform/words/days';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import type { StaffActor } from '../guards/visitors.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { paymentLink } from '../page/payment-cells.ts';
import { dayElementInText } from '../page/times.ts';

/** The way out of each reason why a payment is left out, after the reason itself. */
const WAYS_OUT: Record<NotPayableReason, (frame: Frame<StaffActor>, payment: ReadyRequest) => Html> = {
  case_ended: () => html`Open the case again to send it.`,
  payee_left: () => html`Add them to the case again, or change who is paid.`,
  payee_inactive: () => html`Reactivate their sign-in, or change who is paid.`,
  under_review: () => html`The case’s escrow specialist clears it on the request’s page.`,
  account_changed: () => html`It needs a new approval for the new account.`,
  no_account: (frame, payment) => html`They add one in their profile, or ${enterAccount(frame, payment)}.`,
  account_waits: ({ clock }, { usable_from }) =>
    usable_from === null ? html`` : html`It can be sent ${dayElementInText(dayOf(usable_from, clock.zone), clock)}.`,
  account_closed: (frame, payment) => html`They enter another one in their profile, or ${enterAccount(frame, payment)}.`,
};

function enterAccount({ actor }: Frame<StaffActor>, { payee_id }: ReadyRequest): Html {
  if (!actor.admin.can('edit_bank_accounts')) return html`a colleague enters it for them`;
  return html`<a class="link" href="/bank-accounts/${payee_id}">enter it for them</a>`;
}

/** Approved payments that no batch can contain now: why, and how to fix it (PAYABLE-2). */
export function leftOut(frame: Frame<StaffActor>, payments: readonly ReadyRequest[]): Html {
  if (payments.length === 0) return html``;
  const rows = payments.map((payment) => {
    const { id, case_id, case_name, category, description, payee_name, amount_cents, problem } = payment;
    return html`<tr>
      <td data-label="For" class="cell-wide">
        ${paymentLink({ disbursement_id: id, category, description })}
        <span class="cell-note">
          ${sentence(category)}, to ${payee_name}, <a class="link" href="/cases/${case_id}">${case_name}</a>
        </span>
      </td>
      <td data-label="Why" class="wrap-anywhere">
        ${problem?.sentence ?? ''}
        <span class="cell-note">${problem === null ? '' : WAYS_OUT[problem.reason](frame, payment)}</span>
      </td>
      <td data-label="Amount" class="is-number"><span class="money">${moneyWords(amount_cents)}</span></td>
    </tr>`;
  });
  return html`<section class="left-out" aria-labelledby="left-out">
    <h2 class="section-title" id="left-out">Left out</h2>
    <p class="quiet">These are approved, but can’t be sent yet. They wait for another batch.</p>
    <div class="mt-3">${dataTable(['For', 'Why, and what to do', numberHeading('Amount')], rows, 'payment-table')}</div>
  </section>`;
}
