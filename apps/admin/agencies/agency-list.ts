import { type Html, html } from '@case-platform/lib/html';
import type { AgencySummary } from '@case-platform/modules/accounts';
import { counted } from '@case-platform/words/counts';
import { AGENCY_NAME_MAX } from '@case-platform/words/limits';
import { formNotices, textField } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { emptyState } from '../page/notice.ts';
import { listAddress, pager } from '../page/pager.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';

interface AgencyList {
  data: AgencySummary[];
  next_after: number | null;
  /** The last agency of the page before; undefined on the first page. */
  after: number | undefined;
  refused: RefusedForm | undefined;
}

/** The agencies, and whether their systems have keys. */
export function agencyListPage(frame: Frame<StaffActor>, { data, next_after, after, refused }: AgencyList): Html {
  const mayEdit = frame.actor.admin.can('edit_agencies');
  const hint = mayEdit ? 'Add the first one below.' : 'Agencies appear here once someone adds them.';
  const nothing = html`<div class="panel">${emptyState('building-2', 'No agencies yet', hint)}</div>`;
  const content = html`<div class="page is-wide">
    <header class="page-header">
      <h1 class="page-title">Agencies</h1>
      <p class="page-lead">Agencies we work with, and their API keys.</p>
    </header>
    ${formNotices({ refused })}
    ${data.length === 0 ? nothing : table(frame, data)}
    ${pager({
      path: (cursor) => listAddress('/agencies', { after: cursor }),
      current: after,
      next: next_after,
      first: 'First page',
      more: 'Next page',
    })}
    ${mayEdit ? addForm(frame, refused) : ''}
  </div>`;
  return shellPage(frame, { title: 'Agencies', content });
}

function addForm(frame: Frame, refused: RefusedForm | undefined): Html {
  return html`<section aria-labelledby="add">
    <h2 class="section-title" id="add">Add an agency</h2>
    <form class="inline-form" method="post" action="/agencies" data-busy-words="Adding…">
      ${csrfField(frame)}
      ${textField({ name: 'name', label: 'Name', max: AGENCY_NAME_MAX }, refused)}
      <button class="btn btn-primary" type="submit">${icon('plus')}Add agency</button>
    </form>
  </section>`;
}

function table(frame: Frame, agencies: AgencySummary[]): Html {
  const rows = agencies.map(
    ({ id, name, people, live_keys, last_used_at }) => html`<tr>
      <td data-label="Agency" class="cell-wide"><a class="link" href="/agencies/${id}">${name}</a></td>
      <td data-label="People">${counted(people, 'person', 'people')}</td>
      <td data-label="Keys">${live_keys === 0 ? html`<span class="quiet">No key</span>` : counted(live_keys, 'live key')}</td>
      <td data-label="Last used" class="is-number">
        ${last_used_at === null ? html`<span class="quiet">Never used</span>` : timeElement(last_used_at, frame.clock)}
      </td>
    </tr>`,
  );
  return dataTable(['Agency', 'People', 'Keys', numberHeading('Key last used')], rows, 'is-list');
}
