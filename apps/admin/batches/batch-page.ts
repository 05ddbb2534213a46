import { type Html, html } from '@case-platform/lib/html';
import { type BatchDetails, type BatchStatus, type ExplainedRecord, SIGNATURES_NEEDED } from '@case-platform/modules/banking';
import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { BATCH_WORKERS } from '../guards/batch-workers.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { notice } from '../page/notice.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { batchActions } from './batch-actions.ts';
import { batchEntries } from './batch-entries.ts';
import { batchFile } from './batch-file.ts';
import { batchArrival, batchPill } from './batch-words.ts';
import { blockedNotice } from './blocked-batch.ts';
import { returnNotice } from './return-notice.ts';

interface BatchView {
  batch: BatchDetails;
  /** The file record by record; null before the file exists, and for readers who do not work on batches. */
  file: ExplainedRecord[] | null;
  /** True if our bank's details are entered, which files need. */
  hasBank: boolean;
  done?: string | undefined;
  /** The path of the file, right after it was released. */
  download?: string | undefined;
  refused?: RefusedForm | undefined;
}

/** The page of a batch: its steps, the next one, its payments, and its file in words. */
export function batchPage(frame: Frame<StaffActor>, view: BatchView): Html {
  const { batch, file, hasBank, done, refused, download } = view;
  const takesPart = BATCH_WORKERS.some((permission) => frame.actor.admin.can(permission));
  const content = html`<div class="page is-wide">
    <header class="page-header">
      ${backLink('/batches', 'Back to all batches')}
      <h1 class="page-title">Batch ${batch.id}</h1>
      <p class="page-lead">
        ${batchPill(batch)} ${counted(batch.entry_count, 'payment')},
        <strong class="money">${moneyWords(batch.total_cents)}</strong>${bankDate(frame, batch)}
      </p>
    </header>
    ${formNotices({ done, refused })}
    ${stepper(batch)}
    ${returnNotice(frame, batch)}
    ${blockedNotice(batch, takesPart)}
    ${batchActions(frame, { batch, hasBank, refused })}
    ${takesPart ? batchEntries(frame, batch) : notice('info', 'Your role can’t see who this batch pays.')}
    ${history(frame, batch)}
    ${file === null ? '' : batchFile(file, batch.file_sha256 ?? '')}
  </div>`;
  return shellPage(frame, { title: `Batch ${batch.id}`, content, download });
}

function bankDate(frame: Frame, batch: BatchDetails): Html {
  const arrival = batchArrival(frame, batch);
  return html`${arrival === null ? '' : html`, ${arrival}`}${batch.same_day ? ', same-day ACH' : ''}`;
}

/** The steps of a batch. The file of a `generated` batch is ready, and then has its first signature. */
const STEPS = ['Made', 'Approved', 'File ready', 'Signed', 'Sent', 'At the bank', 'Paid'];
const STEP_OF: Record<Exclude<BatchStatus, 'cancelled'>, number> = {
  draft: 0,
  approved: 1,
  generated: 2,
  outcome_unknown: 4,
  transmitted: 5,
  settled: 6,
};

function stepper({ status, signatures }: BatchDetails): Html {
  if (status === 'cancelled') return html``;
  const at = STEP_OF[status] + (status === 'generated' && signatures > 0 ? 1 : 0);
  const isEnd = status === 'settled';
  const steps = STEPS.map((words, index) => {
    const look = index < at || (isEnd && index === at) ? 'is-done' : '';
    const current = index === at && !isEnd ? html`aria-current="step"` : '';
    const count = words === 'Signed' ? ` ${Math.min(signatures, SIGNATURES_NEEDED)} of ${SIGNATURES_NEEDED}` : '';
    return html`<li class="stepper-step ${look}" ${current}>${words}${count}</li>`;
  });
  return html`<ol class="stepper batch-stepper" aria-label="Batch progress" tabindex="0">${steps}</ol>`;
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
  const before = steps[index - 1]?.status;
  if (status === 'draft' && index > 0) return 'Changed';
  if (status === 'generated' && before === 'outcome_unknown') return 'The bank doesn’t have it';
  // The file was made again before the batch was approved again.
  if (status === 'generated' && before === 'draft') return 'Approved';
  return HAPPENED[status];
}

function history(frame: Frame, { steps, signers, earlier_signers }: BatchDetails): Html {
  const events = [
    ...steps.map(({ name, note, created_at }, index) => ({
      at: created_at,
      who: name,
      note,
      what: happened(steps, index),
    })),
    ...earlier_signers.concat(signers).map(({ name, signed_at }) => ({
      at: signed_at,
      who: name,
      note: '',
      what: 'File signed',
    })),
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
