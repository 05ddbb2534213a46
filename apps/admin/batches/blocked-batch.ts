import { type Html, html } from '@case-platform/lib/html';
import { type BatchDetails, type BatchEntry, remadeDate } from '@case-platform/modules/banking';
import { counted } from '@case-platform/words/counts';
import { fullDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { paymentLink } from '../page/payment-cells.ts';
import { csrfField } from '../page/shell.ts';
import { arrivalElement } from '../page/times.ts';

/** The reasons why a batch is blocked, above its buttons (BATCH-10). */
export function blockedNotice({ is_blocked, is_late, effective_date, entries }: BatchDetails, seesPayments: boolean): Html {
  if (!is_blocked) return html``;
  const problemEntries = stoppedIn(entries);
  const items = problemEntries.map(
    (entry) => html`<li>${paymentLink(entry)}, ${moneyWords(entry.amount_cents)}. ${entry.problem?.sentence ?? ''}</li>`,
  );
  const late = is_late
    ? html`<p>The bank can no longer pay this file on ${fullDayWords(effective_date ?? '')}, because that day has come.</p>`
    : '';
  const count = counted(problemEntries.length, 'payment stops this batch', 'payments stop this batch');
  return html`<div class="notice is-waiting" role="note">
    ${icon('circle-alert')}
    <div>
      <p class="notice-title">${problemEntries.length === 0 ? 'This batch is blocked' : `Blocked: ${count}`}</p>
      ${seesPayments && items.length > 0 ? html`<ul>${items}</ul>` : ''}
      ${late}
    </div>
  </div>`;
}

function stoppedIn(entries: readonly BatchEntry[]): BatchEntry[] {
  return entries.filter(({ problem }) => problem !== null);
}

/** The form that removes what blocks a batch and makes its file again (BATCH-10). Until then, the batch can only be cancelled. */
export function unblockStep(frame: Frame<StaffActor>, batch: BatchDetails): Html {
  const { admin } = frame.actor;
  const problemEntries = stoppedIn(batch.entries);
  const words = html`<p>${resultWords(frame, batch, problemEntries)}</p>`;
  if (!admin.can('create_nacha') && !admin.can('approve_nacha'))
    return html`${words}<p class="quiet">Someone who makes or approves batches has to do this.</p>`;
  const ids = problemEntries.map(
    ({ disbursement_id }) => html`<input type="hidden" name="disbursement_ids" value="${disbursement_id}">`,
  );
  return html`${words}
    <form method="post" action="/batches/${batch.id}/unblock" data-busy-words="Removing…">
      ${csrfField(frame)}
      <input type="hidden" name="sha256" value="${batch.list_sha256}">
      ${ids}
      <button class="btn btn-primary h-auto min-h-11 py-2" type="submit">${buttonWords(batch, problemEntries)}</button>
    </form>`;
}

function liveIn(entries: readonly BatchEntry[]): BatchEntry[] {
  return entries.filter(({ released_at, return_code }) => released_at === null && return_code === null);
}

function buttonWords({ entries, file_sha256 }: BatchDetails, { length }: readonly BatchEntry[]): string {
  if (length === 0) return 'Make the file again';
  const remove = length === 1 ? 'Remove this payment' : 'Remove these payments';
  if (length === liveIn(entries).length) return `${remove} and cancel the batch`;
  return file_sha256 === null ? remove : `${remove} and make the file again`;
}

/** Describes what becomes of the payments that stay, and of an approval and signatures that were already given. */
function resultWords(frame: Frame, batch: BatchDetails, problemEntries: readonly BatchEntry[]): Html {
  const payable = liveIn(batch.entries).filter(({ problem }) => problem === null);
  if (payable.length === 0)
    return html`Nothing else is in this batch, so it’s cancelled. What is removed waits for another batch.`;
  const cents = payable.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  const isOne = payable.length === 1;
  const others =
    problemEntries.length === 0 ? (isOne ? 'The payment' : 'All payments') : isOne ? 'The other payment' : 'The others';
  const sum = `${counted(payable.length, 'payment')}, ${moneyWords(cents)}`;
  const stay = html`${others} (${sum}) ${isOne ? 'stays' : 'stay'} in the batch`;
  const again = batch.status === 'draft' ? '' : ' The batch then needs a new approval.';
  if (batch.effective_date === null) return html`${stay}.${again}`;
  const day = remadeDate(batch, frame.clock.now);
  const [still, instead] =
    day === batch.effective_date ? [' still', ''] : ['', html` instead of ${arrivalElement(batch.effective_date, frame.clock)}`];
  const arrival = html` and${still} ${isOne ? 'arrives' : 'arrive'} ${arrivalElement(day, frame.clock)}${instead}`;
  const unsigned = batch.signers.length === 0 ? '' : ' Signatures of the old file don’t count for the new one.';
  return html`${stay}${arrival}.${again}${unsigned}`;
}
