import { type Html, html } from '@case-platform/lib/html';
import { BATCH_STATUSES, type BatchStatus, type BatchSummary } from '@case-platform/modules/banking';
import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import type { StaffActor } from '../guards/visitors.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState } from '../page/notice.ts';
import { listAddress, pager } from '../page/pager.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { batchDay, batchPill, batchStateWords } from './batch-words.ts';

interface BatchList {
  batches: BatchSummary[];
  next_cursor: string | null;
  query: { status?: BatchStatus | undefined; cursor?: string | undefined };
  /** Approved requests that can be put into a batch, and those that cannot. */
  ready: number;
  left_out: number;
}

/** The batches of payments to the bank, the newest first. */
export function batchListPage(frame: Frame<StaffActor>, { batches, next_cursor, query, ready, left_out }: BatchList): Html {
  const { admin } = frame.actor;
  const isNarrowed = query.status !== undefined || query.cursor !== undefined;
  const nothing = isNarrowed
    ? emptyState('search', 'No batch matches', 'Try another state.')
    : emptyState('landmark', 'No batches yet', 'Put approved requests in a batch to send them to the bank in one file.');
  const action = admin.can('create_nacha')
    ? html`<a class="btn btn-primary page-action" href="/batches/new">${icon('plus')}New batch</a>`
    : '';
  const content = html`<div class="page is-wide">
    <header class="page-header">
      <h1 class="page-title">Batches</h1>
      ${action}
      <p class="page-lead">
        Payments on their way to the bank. ${
          ready === 0
            ? 'No approved requests are waiting.'
            : `${counted(ready, 'approved request is waiting', 'approved requests are waiting')} for a batch.`
        }${left_out === 0 ? '' : ` ${counted(left_out, 'approved request', 'approved requests')} can’t be sent yet.`}
      </p>
    </header>
    <div class="filter-bar">${filter(query.status)}${links(frame)}</div>
    ${batches.length === 0 ? html`<div class="panel">${nothing}</div>` : table(frame, batches)}
    ${pager({ path: (cursor) => listAddress('/batches', { ...query, cursor }), current: query.cursor, next: next_cursor })}
  </div>`;
  return shellPage(frame, { title: 'Batches', content });
}

function filter(status: BatchStatus | undefined): Html {
  const option = (value: string, words: string, isChosen: boolean) =>
    html`<option value="${value}" ${isChosen ? 'selected' : ''}>${words}</option>`;
  return html`<form method="get" action="/batches">
    <label>
      <span class="sr-only">State</span>
      <select class="select select-sm" name="status" data-submit-on-change>
        ${option('', 'All states', status === undefined)}
        ${BATCH_STATUSES.map((value) => option(value, batchStateWords(value), value === status))}
      </select>
    </label>
    <button class="btn btn-sm" type="submit" data-without-script>Show</button>
  </form>`;
}

function links({ actor: { admin } }: Frame<StaffActor>): Html {
  const returns = admin.can('make_payments')
    ? html`<a class="btn btn-sm btn-ghost" href="/batches/returns">Return files</a>`
    : '';
  const bank = admin.can('edit_bank_accounts') ? html`<a class="btn btn-sm btn-ghost" href="/batches/bank">Our bank</a>` : '';
  return html`${returns}${bank}`;
}

function table(frame: Frame, batches: BatchSummary[]): Html {
  const rows = batches.map((batch) => {
    const { id, entry_count, total_cents, created_by_name, created_at, same_day } = batch;
    const day = batchDay(frame, batch);
    return html`<tr>
      <td data-label="Batch" class="cell-wide">
        <a class="link" href="/batches/${id}">Batch ${id}</a>
        ${same_day ? html`<span class="cell-note">Same day</span>` : ''}
      </td>
      <td data-label="State">${batchPill(batch)}</td>
      <td data-label="Payments" class="is-number">${counted(entry_count, 'payment')}</td>
      <td data-label="Total" class="is-number"><span class="money">${moneyWords(total_cents)}</span></td>
      <td data-label="Arrival" class="is-number">
        ${day ?? html`<span class="quiet">${batch.status === 'cancelled' ? '–' : 'Not yet'}</span>`}
      </td>
      <td data-label="Made" class="is-number">
        ${timeElement(created_at, frame.clock)}
        <span class="cell-note">by ${created_by_name}</span>
      </td>
    </tr>`;
  });
  return dataTable(
    ['Batch', 'State', numberHeading('Payments'), numberHeading('Total'), numberHeading('Arrival'), numberHeading('Made')],
    rows,
    'is-list',
  );
}
