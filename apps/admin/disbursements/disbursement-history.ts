import { type Html, html } from '@case-platform/lib/html';
import type { AuditRecord } from '@case-platform/modules/audit';
import { changesOfResubmissions } from '@case-platform/modules/disbursements';
import type { DisbursementMovement } from '@case-platform/modules/ledger';
import { actionWords, actorWords, layerWords } from '../audit/index.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { money } from '../page/money.ts';
import { timeElement } from '../page/times.ts';

const HAPPENED: Record<string, string> = {
  create: 'Written',
  submit: 'Sent for approval',
  approve: 'Approved',
  undo_approval: 'Approval undone',
  deny: 'Denied',
  cancel: 'Cancelled',
  revise: 'Changed after it was sent',
  remove_approval: 'Approval removed: bank account changed',
  batch: 'Added to a batch',
  unbatch: 'Taken out of the batch',
  send: 'At the bank',
  pay: 'Paid',
  return: 'Sent back by the bank',
  retry: 'Set to be paid again',
  end: 'Ended, won’t be paid again',
  add_file: 'Receipt added',
  remove_file: 'Receipt removed',
  hand_on: 'Passed to another approver',
  link_chain: 'Linked to a conversation',
};

/** Lists the steps of a request, newest first, linked to the audit log for people who may read it. */
export function disbursementHistory(frame: Frame<StaffActor>, history: AuditRecord[]): Html {
  if (history.length === 0) return html``;
  const mayOpen = frame.actor.admin.can('view_audit_log');
  const resent = changesOfResubmissions(history.toReversed()).toReversed();
  const items = history.map((entry, at) => {
    const verb = entry.action.slice(entry.action.indexOf('.') + 1);
    const isForAccount = entry.after?.reason === 'bank_account_changed';
    const words = isForAccount ? 'Sent again for the new bank account' : (HAPPENED[verb] ?? actionWords(entry.action));
    const what = mayOpen ? html`<a class="link" href="/audit/${entry.id}">${words}</a>` : words;
    const reason = isForAccount ? undefined : entry.after?.reason;
    const note = [resent[at], reason, entry.after?.filename ?? entry.before?.filename].find((value) => typeof value === 'string');
    return html`<li class="timeline-item ${at === 0 ? 'is-now' : ''} ${verb === 'deny' || verb === 'return' ? 'is-refused' : ''}">
      <span class="timeline-what">${what}, by ${actorWords(entry)}</span>
      <span class="timeline-when">${timeElement(entry.happened_at, frame.clock)}, ${layerWords(entry.layer)}</span>
      ${note === undefined ? '' : html`<p class="quiet">${String(note)}</p>`}
    </li>`;
  });
  return html`<section aria-labelledby="life">
    <h2 class="section-title" id="life">History</h2>
    <ol class="timeline">${items}</ol>
  </section>`;
}

/** Describes how a request that was sent again differs from its previous submission; null for the first one. */
export function whatWasResent(history: readonly AuditRecord[]): string | null {
  const entries = history.toReversed();
  const last = entries.findLastIndex(({ action }) => action === 'disbursement.submit');
  return changesOfResubmissions(entries)[last] ?? null;
}

/** Words for the movements of a case's money. */
const MOVEMENT_WORDS: Record<DisbursementMovement['kind'], string> = {
  deposit: 'Deposit',
  refund: 'Paid back',
  hold: 'Set aside',
  release: 'Released',
  payment: 'Paid out',
  return: 'Returned',
};
const ACCOUNTS: Record<DisbursementMovement['debit'], string> = {
  cash: 'Our bank account',
  funds: 'Available',
  held: 'Set aside',
};

/** Lists the movements of a request in the ledger, each a debit and a credit of the same amount. */
export function disbursementMovements(frame: Frame, movements: DisbursementMovement[]): Html {
  if (movements.length === 0) return html``;
  const rows = movements.map(
    ({ id, kind, debit, credit, amount_cents, created_at }) => html`<tr>
      <td data-label="Movement" class="cell-wide">
        ${MOVEMENT_WORDS[kind]}
        <span class="cell-note mono">${id}</span>
      </td>
      <td data-label="Debit">${ACCOUNTS[debit]}</td>
      <td data-label="Credit">${ACCOUNTS[credit]}</td>
      <td data-label="When" class="is-number">${timeElement(created_at, frame.clock)}</td>
      <td data-label="Amount" class="is-number">${money(amount_cents)}</td>
    </tr>`,
  );
  return html`<section aria-labelledby="ledger">
    <h2 class="section-title" id="ledger">In the ledger</h2>
    ${dataTable(['Movement', 'Debit', 'Credit', numberHeading('When'), numberHeading('Amount')], rows, 'payment-table')}
  </section>`;
}
