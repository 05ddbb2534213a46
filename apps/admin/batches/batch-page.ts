import { type Html, html } from '@case-platform/lib/html';
import type { BatchDetails, BatchEntry, BatchStatus, ExplainedRecord } from '@case-platform/modules/banking';
import type { NotPayable } from '@case-platform/modules/disbursements';
import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { BATCH_WORKERS } from '../guards/batch-workers.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import { notedWords, sentBackWords } from '../page/sent-back.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { arrivalElement, timeElement } from '../page/times.ts';
import { batchActions } from './batch-actions.ts';
import { batchFile } from './batch-file.ts';
import { batchState } from './batch-words.ts';
import { cameBack } from './came-back.ts';

interface BatchView {
  batch: BatchDetails;
  /** The file record by record; null before the file exists, and for readers who do not work on batches. */
  file: ExplainedRecord[] | null;
  /** Whether our bank is entered, which files need. */
  hasBank: boolean;
  done?: string | undefined;
  refused?: RefusedForm | undefined;
}

/** A batch: how far it is, what it waits for, whom it pays, and its file in words. */
export function batchPage(frame: Frame<StaffActor>, view: BatchView): Html {
  const { batch, file, hasBank, done, refused } = view;
  const takesPart = BATCH_WORKERS.some((permission) => frame.actor.admin.can(permission));
  const content = html`<div class="page is-wide">
    <header class="page-header">
      <a class="btn btn-ghost btn-sm btn-square" href="/batches" aria-label="Back to all batches" title="Back to all batches">
        ${icon('arrow-left')}
      </a>
      <h1 class="page-title">Batch ${batch.id}</h1>
      <p class="page-lead">
        ${batchState(batch.status)} ${counted(batch.entry_count, 'payment')},
        <strong class="money">${moneyWords(batch.total_cents)}</strong>${bankDate(frame, batch)}
      </p>
    </header>
    ${formNotices({ done, refused })}
    ${stepper(batch)}
    ${cameBack(frame, batch)}
    ${blocked(batch)}
    ${batchActions(frame, { batch, hasBank, refused })}
    ${takesPart ? entries(frame, batch) : notice('info', 'Your role can’t see who this batch pays.')}
    ${history(frame, batch)}
    ${file === null ? '' : batchFile(file, batch.file_sha256 ?? '')}
  </div>`;
  return shellPage(frame, { title: `Batch ${batch.id}`, content });
}

function bankDate(frame: Frame, { effective_date, same_day }: BatchDetails): Html {
  const same = same_day ? ', same-day ACH' : '';
  return effective_date === null ? html`${same}` : html`, arrives ${arrivalElement(effective_date, frame.clock)}${same}`;
}

const STEPS: [BatchStatus, string][] = [
  ['draft', 'Made'],
  ['approved', 'Approved'],
  ['generated', 'File signed'],
  ['outcome_unknown', 'Sent to the bank'],
  ['transmitted', 'At the bank'],
  ['settled', 'Paid'],
];

function stepper({ status }: BatchDetails): Html {
  if (status === 'cancelled') return html``;
  const at = STEPS.findIndex(([step]) => step === status);
  const isEnd = status === 'settled';
  const steps = STEPS.map(([, words], index) => {
    const look = index < at || (isEnd && index === at) ? 'is-done' : '';
    const current = index === at && !isEnd ? html`aria-current="step"` : '';
    return html`<li class="stepper-step ${look}" ${current}>${words}</li>`;
  });
  return html`<ol class="stepper batch-stepper" aria-label="Batch progress" tabindex="0">${steps}</ol>`;
}

function entries(frame: Frame<StaffActor>, batch: BatchDetails): Html {
  const { admin } = frame.actor;
  const mayRemove = batch.status === 'draft' && batch.entry_count > 1 && admin.can('create_nacha');
  const rows = batch.entries.map((entry) => entryRow(frame, batch, { entry, mayRemove }));
  return html`<section aria-labelledby="entries">
    <h2 class="section-title" id="entries">Payments</h2>
    <div class="data-table-wrap">
      <table class="data-table is-stacked payment-table">
        <thead>
          <tr>
            <th scope="col">Request</th>
            <th scope="col">To</th>
            <th scope="col">Case</th>
            <th scope="col">State</th>
            <th scope="col" class="is-number">Amount</th>
          </tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  </section>`;
}

function entryRow(
  frame: Frame<StaffActor>,
  { id, status }: BatchDetails,
  { entry, mayRemove }: { entry: BatchEntry; mayRemove: boolean },
): Html {
  const { disbursement_id, case_id, case_name, category, payee_name, holder_name, amount_cents } = entry;
  const account = frame.actor.admin.can('view_bank_accounts')
    ? html`, ${entry.account_kind} ending in <span class="mono">${entry.last_four}</span>`
    : '';
  const remove =
    mayRemove && entry.released_at === null
      ? html`<form method="post" action="/batches/${id}/remove">
        ${csrfField(frame)}
        <input type="hidden" name="disbursement_id" value="${disbursement_id}">
        <button class="btn btn-sm btn-ghost" type="submit" aria-label="Take request ${disbursement_id} out">Take out</button>
      </form>`
      : '';
  return html`<tr>
    <td data-label="Request" class="cell-wide">
      <a class="link" href="/disbursements/${disbursement_id}">Request ${disbursement_id}</a>
      <span class="cell-note">${sentence(category)}</span>
    </td>
    <td data-label="To" class="wrap-anywhere">
      ${payee_name}
      <span class="cell-note">${holder_name}’s account${account}</span>
    </td>
    <td data-label="Case"><a class="link" href="/cases/${case_id}">${case_name}</a></td>
    <td data-label="State">${entryState(entry, status)}${notedWords(entry.noted_codes)}${remove}</td>
    <td data-label="Amount" class="is-number">
      <span class="money">${moneyWords(amount_cents)}</span>
      ${entry.trace_number === null ? '' : html`<span class="cell-note mono">${entry.trace_number}</span>`}
    </td>
  </tr>`;
}

const PROBLEMS: Record<NotPayable['reason'], string> = {
  case_ended: 'Case closed',
  payee_left: 'Payee left the case',
  payee_inactive: 'Payee deactivated',
  account_changed: 'Account changed',
  no_account: 'No account',
  account_waits: 'Account not usable yet',
  account_closed: 'Needs another account',
};

/** Shown before anyone presses a button that would be refused. */
function blocked({ status, entries }: BatchDetails): Html {
  const problems = entries.flatMap(({ problem }) => problem ?? []);
  if (problems.length === 0) return html``;
  const items = problems.map(
    ({ disbursement_id, sentence }) =>
      html`<li><a class="link" href="/disbursements/${disbursement_id}">Request ${disbursement_id}</a>: ${sentence}</li>`,
  );
  const wayOut =
    status === 'draft' && problems.length < entries.filter(({ released_at }) => released_at === null).length
      ? 'Take these payments out, and the rest can go ahead.'
      : 'Cancel this batch and make a new one without them.';
  return html`<div class="notice is-waiting" role="note">
    ${icon('circle-alert')}
    <div>
      <p class="notice-title">${counted(problems.length, 'payment stops this batch', 'payments stop this batch')}</p>
      <ul>${items}</ul>
      <p>${wayOut}</p>
    </div>
  </div>`;
}

function entryState({ released_at, return_code, problem }: BatchEntry, status: BatchStatus): Html {
  if (released_at !== null) return html`<span class="state-pill">Taken out</span>`;
  if (return_code !== null) return sentBackWords(return_code);
  if (status === 'settled') return html`<span class="state-pill is-done">Paid</span>`;
  if (problem !== null) return html`<span class="state-pill is-refused">${PROBLEMS[problem.reason]}</span>`;
  return html`<span class="state-pill">In the batch</span>`;
}

/** Words for each step, by the status that it led to. */
const HAPPENED: Record<BatchStatus, string> = {
  draft: 'Made',
  approved: 'Approved',
  generated: 'File made',
  outcome_unknown: 'File downloaded',
  transmitted: 'The bank has it',
  settled: 'Paid',
  cancelled: 'Cancelled',
};

/** A step back leads to an earlier status again. */
function happened(steps: BatchDetails['steps'], index: number): string {
  const { status } = steps[index] ?? { status: 'draft' };
  if (status === 'draft' && index > 0) return 'Changed';
  if (status === 'generated' && steps[index - 1]?.status === 'outcome_unknown') return 'The bank doesn’t have it';
  return HAPPENED[status];
}

function history(frame: Frame, { steps, signers }: BatchDetails): Html {
  const events = [
    ...steps.map(({ name, note, created_at }, index) => ({
      at: created_at,
      who: name,
      note,
      what: happened(steps, index),
    })),
    ...signers.map(({ name, signed_at }) => ({ at: signed_at, who: name, note: '', what: 'File signed' })),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
  const items = events.map(
    ({ at, who, note, what }, index) => html`<li class="timeline-item ${index === events.length - 1 ? 'is-now' : ''}">
      <span class="timeline-what">${what}, by ${who}</span>
      <span class="timeline-when">${timeElement(at, frame.clock)}</span>
      ${note === '' ? '' : html`<p class="quiet">${note}</p>`}
    </li>`,
  );
  return html`<section aria-labelledby="life">
    <h2 class="section-title" id="life">History</h2>
    <ol class="timeline">${items}</ol>
  </section>`;
}
