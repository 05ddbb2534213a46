import { type Html, html } from '@case-platform/lib/html';
import type { DeadJob } from '@case-platform/lib/jobs/dead-jobs';
import { sentence } from '@case-platform/words/sentence';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import { dataTable, numberHeading, unseenHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { emptyState } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';

/** Jobs that failed every time they were tried. Each waits here for a person and blocks no other job. */
export function deadJobsPage(
  frame: Frame<StaffActor>,
  { jobs, done, refused }: { jobs: DeadJob[]; done: string | undefined; refused: RefusedForm | undefined },
): Html {
  const nothing = emptyState('mail-check', 'No failed jobs', 'Jobs that keep failing appear here.');
  const content = html`<div class="page is-wide">
    <header class="page-header">
      ${backLink('/deliveries', 'Back to all deliveries')}
      <div>
        <h1 class="page-title">Failed jobs</h1>
        <p class="page-lead">These failed every time we tried. Once you’ve fixed the cause, try them again.</p>
      </div>
    </header>
    ${formNotices({ done, refused })}
    ${jobs.length === 0 ? html`<div class="panel">${nothing}</div>` : table(frame, jobs)}
  </div>`;
  return shellPage(frame, { title: 'Failed jobs', content });
}

function table(frame: Frame<StaffActor>, jobs: DeadJob[]): Html {
  const mayChange = frame.actor.admin.can('view_deliveries');
  const rows = jobs.map(
    ({ id, task, attempts, last_error, delivery_id, updated_at }) => html`<tr>
      <td data-label="Job" class="cell-wide">
        ${delivery_id === null ? sentence(task) : html`<a class="link" href="/deliveries/${delivery_id}">${sentence(task)}</a>`}
        <span class="cell-note">${mayChange ? (last_error ?? 'The process working on it was stopped.') : ''}</span>
      </td>
      <td data-label="Tries" class="is-number">${attempts}</td>
      <td data-label="Last" class="is-number">${timeElement(updated_at, frame.clock)}</td>
      <td>
        ${
          mayChange
            ? html`<form method="post" action="/deliveries/jobs/${id}/retry">
              ${csrfField(frame)}
              <button class="btn btn-sm" type="submit">Try again</button>
            </form>`
            : ''
        }
      </td>
    </tr>`,
  );
  return dataTable(['Job', numberHeading('Tries'), numberHeading('Last'), unseenHeading('Change')], rows, 'is-list');
}
