import { type Html, html } from '@case-platform/lib/html';
import { type BatchDetails, isBankDay, SIGNATURES_NEEDED } from '@case-platform/modules/banking';
import { counted } from '@case-platform/words/counts';
import { MEMO_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { refusedAt, textField } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { BATCH_WORKERS } from '../guards/batch-workers.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';
import { arrivalElement } from '../page/times.ts';
import { unblockStep } from './blocked-batch.ts';
import { checkedStep } from './check-first.ts';

interface Shown {
  batch: BatchDetails;
  hasBank: boolean;
  refused: RefusedForm | undefined;
}

/** The next step of the batch, with buttons for those who may take it. */
export function batchActions(frame: Frame<StaffActor>, shown: Shown): Html {
  const { batch, refused } = shown;
  const next = batch.is_blocked ? unblockStep(frame, batch) : NEXT[batch.status]?.(frame, shown);
  const cancel = cancelForm(frame, batch, refused);
  if (next === undefined && cancel === null) return html``;
  return html`<section class="panel padded next-step" aria-labelledby="next-step">
    <h2 class="section-title" id="next-step">What happens next</h2>
    ${next}
    ${cancel}
  </section>`;
}

type NextStep = (frame: Frame<StaffActor>, shown: Shown) => Html;

const NEXT: Partial<Record<BatchDetails['status'], NextStep>> = {
  draft: (frame, { batch }) => {
    const { admin, user } = frame.actor;
    if (batch.created_by === user.id) return html`<p>You made this batch, so someone else has to approve it.</p>`;
    const button = admin.can('approve_nacha')
      ? checkedStep(frame, batch, { path: 'approve', words: 'Approve batch', purpose: 'approve', sha256: batch.list_sha256 })
      : '';
    const made =
      batch.file_sha256 === null
        ? ''
        : html`<p>${batch.steps.at(-1)?.note ?? ''} The new file needs an approval and signatures of its own.</p>`;
    return html`${made}<p>Someone other than ${batch.created_by_name} has to approve it.</p>${button}`;
  },
  approved: (frame, { batch, hasBank }) => {
    if (!hasBank)
      return html`<p>
        Add our bank details first. The file needs them. <a class="link" href="/batches/bank">Add bank details</a>
      </p>`;
    const button = frame.actor.admin.can('create_nacha')
      ? stepForm(frame, batch, { path: 'generate', words: 'Make the file', sha256: batch.list_sha256 })
      : '';
    return html`<p>Next, make the file for the bank. It sets the day the money arrives.</p>
      ${button}`;
  },
  generated: (frame, { batch }) => html`${signatures(frame, batch)}${releaseForm(frame, batch)}`,
  outcome_unknown: (frame, { batch, refused }) => outcome(frame, batch, refused),
  transmitted: (frame, { batch, refused }) => {
    const day = arrivalElement(batch.effective_date ?? '', frame.clock);
    const words = html`<p>
      The bank has the file. The money arrives ${day}. When the bank statement shows it, mark the batch as paid.
    </p>`;
    if (!mayPay(frame, batch)) return html`${words}${makerNote(frame, batch)}`;
    const now = new Date(frame.clock.now);
    const isDue = isBankDay(batch.effective_date ?? '', now);
    return html`${words}${isDue ? settle(frame, batch) : settleEarly(frame, batch, refused)}`;
  },
  settled: (frame, { batch }) => {
    const all = leftOf(batch).count === batch.entry_count ? 'Everything is paid.' : 'Everything else is paid.';
    return frame.actor.admin.can('make_payments')
      ? html`<p>
        ${all} If a payment comes back, the bank sends a return file. <a class="link" href="/batches/returns">Return files</a>
      </p>`
      : html`<p>${all}</p>`;
  },
};

/** The payments that the bank has not sent back. */
function leftOf({ entries }: BatchDetails): { count: number; cents: number } {
  const openEntries = entries.filter(({ released_at, return_code }) => released_at === null && return_code === null);
  return { count: openEntries.length, cents: openEntries.reduce((sum, { amount_cents }) => sum + amount_cents, 0) };
}

function settlingWords(batch: BatchDetails): string {
  const { count } = leftOf(batch);
  const marked = counted(count, 'request is marked as paid', 'requests are marked as paid');
  const next = 'the money leaves the cases, and the people on them are notified';
  return `${marked}, ${next}. Check the bank statement first. You can’t undo this.`;
}

function settle(frame: Frame, batch: BatchDetails): Html {
  return confirmDialog(frame, {
    id: 'settle',
    button: 'Mark as paid',
    yes: 'Yes, mark as paid',
    no: 'Cancel',
    isLoss: false,
    title: `Has the bank paid ${moneyWords(leftOf(batch).cents)}?`,
    text: settlingWords(batch),
    action: `/batches/${batch.id}/settle`,
    fields: { sha256: batch.list_sha256 },
  });
}

/** Settling before the bank date is possible only on purpose and with a reason (BATCH-5). */
function settleEarly(frame: Frame, batch: BatchDetails, anyRefused: RefusedForm | undefined): Html {
  const action = `/batches/${batch.id}/settle`;
  const refused = refusedAt(action, anyRefused);
  const reason = { name: 'reason', label: 'How do you know the bank has paid?', max: MEMO_MAX };
  return html`<details class="more-ways" ${refused === undefined ? '' : 'open'}>
    <summary>The bank paid early</summary>
    <form method="post" action="${action}" class="inline-form">
      ${csrfField(frame)}
      <input type="hidden" name="sha256" value="${batch.list_sha256}">
      <input type="hidden" name="before_bank_date" value="yes">
      <p>${settlingWords(batch)} We keep your answer in the audit log.</p>
      ${textField(reason, refused)}
      <button class="btn btn-primary" type="submit">Mark ${moneyWords(leftOf(batch).cents)} as paid</button>
    </form>
  </details>`;
}

/** The person who made a batch never pays it. */
function mayPay({ actor }: Frame<StaffActor>, { created_by }: BatchDetails): boolean {
  return actor.admin.can('make_payments') && created_by !== actor.user.id;
}

function makerNote({ actor }: Frame<StaffActor>, { created_by }: BatchDetails): Html {
  const isMaker = actor.admin.can('make_payments') && created_by === actor.user.id;
  return isMaker ? html`<p class="quiet">You made this batch, so someone else has to send it.</p>` : html``;
}

type Step = { path: string; words: string; sha256?: string };

function stepForm(frame: Frame, { id }: BatchDetails, { path, words, sha256 }: Step): Html {
  const seen = sha256 === undefined ? '' : html`<input type="hidden" name="sha256" value="${sha256}">`;
  return html`<form method="post" action="/batches/${id}/${path}" class="mt-3">
    ${csrfField(frame)}
    ${seen}
    <button class="btn btn-primary" type="submit">${icon('shield-check')}${words}</button>
  </form>`;
}

function signatures(frame: Frame<StaffActor>, batch: BatchDetails): Html {
  const { admin, user } = frame.actor;
  const missing = SIGNATURES_NEEDED - batch.signers.length;
  if (missing <= 0) return html`<p>${batch.signers.map(({ name }) => name).join(' and ')} signed the file.</p>`;
  const signed = batch.signers.some(({ user_id }) => user_id === user.id);
  const mayTakePart = BATCH_WORKERS.some((permission) => admin.can(permission));
  const sha256 = batch.file_sha256 ?? '';
  const own = signed
    ? html`<p class="quiet">You signed it. Someone else has to sign it too.</p>`
    : checkedStep(frame, batch, { path: 'sign', words: 'Sign the file', purpose: 'sign', sha256 });
  return html`<p>${missing === 2 ? 'Two people have' : 'One more person has'} to check the file below and sign it.</p>
    ${mayTakePart ? own : ''}`;
}

function releaseForm(frame: Frame<StaffActor>, batch: BatchDetails): Html {
  if (batch.signers.length < SIGNATURES_NEEDED) return html``;
  if (!mayPay(frame, batch)) return html`<p>Next, someone who makes payments sends it to the bank.</p>${makerNote(frame, batch)}`;
  const step = { path: 'hand-out', words: 'Download bank file', purpose: 'download the file' } as const;
  return html`<p>
      Next, send the file to the bank. After you download it, come back and say whether the bank has it.
      Until then, nobody else can download it, so nothing is paid twice.
    </p>
    ${checkedStep(frame, batch, { ...step, sha256: batch.file_sha256 ?? '' })}`;
}

function outcome(frame: Frame<StaffActor>, batch: BatchDetails, refused: RefusedForm | undefined): Html {
  const state = html`<p>
    The file was downloaded, but nobody has confirmed that the bank has it. It’s never sent again automatically.
  </p>`;
  if (!mayPay(frame, batch)) return html`${state}${makerNote(frame, batch)}`;
  const download =
    batch.handed_out_by === frame.actor.user.id
      ? html`<p class="mt-3">
        <a class="btn" href="/batches/${batch.id}/file" download>${icon('file-text')}Download the file again</a>
      </p>`
      : '';
  const action = `/batches/${batch.id}/outcome`;
  const hint = 'For example, the bank’s confirmation number or who you spoke to.';
  const note = { name: 'note', label: 'How do you know?', hint, max: MEMO_MAX };
  return html`${state}
    ${download}
    <form method="post" action="${action}" class="mt-3">
      ${csrfField(frame)}
      <input type="hidden" name="sha256" value="${batch.file_sha256}">
      ${textField(note, refusedAt(action, refused))}
      <div class="button-line">
        <button class="btn btn-primary" type="submit" name="outcome" value="accepted">The bank has it</button>
        <button class="btn" type="submit" name="outcome" value="refused">The bank doesn’t have it</button>
      </div>
    </form>`;
}

function cancelForm(frame: Frame<StaffActor>, batch: BatchDetails, anyRefused: RefusedForm | undefined): Html | null {
  const { admin } = frame.actor;
  const isPossible = ['draft', 'approved', 'generated'].includes(batch.status);
  if (!isPossible || !(admin.can('create_nacha') || admin.can('approve_nacha'))) return null;
  const action = `/batches/${batch.id}/cancel`;
  const refused = refusedAt(action, anyRefused);
  const reason = { name: 'reason', label: 'Why?', hint: 'Its requests will wait for another batch.', max: MEMO_MAX };
  return html`<details class="more-ways" ${refused === undefined ? '' : 'open'}>
    <summary>Cancel this batch</summary>
    <form method="post" action="${action}" class="inline-form">
      ${csrfField(frame)}
      ${textField(reason, refused)}
      <button class="btn btn-error" type="submit">Cancel batch ${batch.id}</button>
    </form>
  </details>`;
}
