import { type Html, html } from '@case-platform/lib/html';
import type { Disbursement, RequestBenefit } from '@case-platform/modules/disbursements';
import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import {
  type AccountChange,
  accountQuestionWords,
  changedAccountWords,
  groupAccountChanges,
  totalOf,
} from '@case-platform/words/payee-account';
import { sentence } from '@case-platform/words/sentence';
import { confirmDialog } from '../form/confirm-dialog.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { money } from '../page/money.ts';
import { questionForms } from './payment-stop-forms.ts';

/** A request that waits for the reader and was approved for another account, with its contract limit. */
export type ChangedRequest = Disbursement & { benefit: RequestBenefit | null };

/**
 * One card for each case and payee whose account changed after payments were approved for the previous one (BANK-9), because an
 * alarm is about one case.
 */
export function accountChangeCards(frame: Frame<StaffActor>, changedRequests: readonly ChangedRequest[]): Html {
  if (changedRequests.length === 0) return html``;
  const cases = [...Map.groupBy(changedRequests, ({ case_id }) => case_id).values()];
  const cards = cases.flatMap(groupAccountChanges).map((change) => card(frame, change));
  return html`<div class="account-changes">${cards}</div>`;
}

function card(frame: Frame<StaffActor>, change: AccountChange<ChangedRequest>): Html {
  const { payee, account, payments, total_cents, together, alarm } = change;
  const [about] = payments;
  if (about === undefined) return html``;
  const { title, text } = changedAccountWords({ payee: payee.name, account, count: payments.length, total_cents }, frame.clock);
  const draft = accountQuestionWords(payee.name, account, frame.clock);
  const answers =
    alarm === null
      ? html`${together.length > 0 ? html`<div class="mt-3">${approveDialog(frame, change)}</div>` : ''}
        ${questionForms(frame, about, undefined, draft)}`
      : html`<p class="mt-3">
          ${alarm.is_own ? 'You' : alarm.raised_by_name} stopped all payments to ${payee.name}.
          <a class="link" href="/disbursements/${about.id}#payment-stop">See what has to be checked</a>
        </p>`;
  const id = `changed-${about.case_id}-${payee.user_id}`;
  return html`<section class="panel padded next-step payment-stop" aria-labelledby="${id}">
    <h2 class="section-title" id="${id}">${icon('circle-alert')}${title}</h2>
    <p>${text} <span class="quiet">${about.case_name}</span></p>
    ${lines(change)}
    ${answers}
  </section>`;
}

function lines({ payments, together }: AccountChange<ChangedRequest>): Html {
  const rows = payments.map(
    (payment) => html`<li>
      <a class="list-row" href="/disbursements/${payment.id}">
        <span class="row-who">${payment.description}</span>
        <span class="row-when">${money(payment.amount_cents)}</span>
        <span class="row-what quiet">
          ${sentence(payment.category)}${together.includes(payment) ? '' : ' · Needs a decision of its own'}
        </span>
      </a>
    </li>`,
  );
  return html`<ul class="row-list mt-3">${rows}</ul>`;
}

function approveDialog(frame: Frame, { payee, account, together }: AccountChange<ChangedRequest>): Html {
  const [first] = together;
  const condition = `${payee.name} told you about the account ending in ${account.last_four}`;
  const caution = `Only approve if ${condition}, in person or on a number that you know.`;
  const what = `${counted(together.length, 'payment')}, ${moneyWords(totalOf(together))},`;
  return confirmDialog(frame, {
    id: `approve-${first?.case_id}-${payee.user_id}`,
    button: `Approve for …${account.last_four}`,
    yes: `Approve ${moneyWords(totalOf(together))}`,
    no: 'Cancel',
    isLoss: false,
    look: 'btn btn-primary',
    title: `Approve ${what} for …${account.last_four}?`,
    text: `${caution} We set the money aside and send it once the account can be used.`,
    action: `/cases/${first?.case_id}/account-changes/approve`,
    fields: { seen: together.map(({ id, version }) => `${id}:${version}:${account.version}`).join(' ') },
  });
}
