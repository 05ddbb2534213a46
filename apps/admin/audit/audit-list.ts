import { type Html, html } from '@case-platform/lib/html';
import type { AuditRecord } from '@case-platform/modules/audit';
import { EMAIL_MAX } from '@case-platform/words/limits';
import type { StaffActor } from '../guards/visitors.ts';
import { maySeeContacts } from '../page/contact-parts.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { emptyState } from '../page/notice.ts';
import { listAddress, pager } from '../page/pager.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { actionWords, entryWords, kindWords } from './action-words.ts';
import { actorWords } from './audit-words.ts';

export interface AuditQuery {
  /** An email address, for all records that have it. */
  who?: string | undefined;
  action?: string | undefined;
  kind?: string | undefined;
  subject_id?: number | undefined;
  case_id?: number | undefined;
  /** The visit number that an error page shows. */
  visit?: string | undefined;
  /** Calendar days in the reader's time zone, both included. */
  from?: string | undefined;
  to?: string | undefined;
  before?: number | undefined;
}

interface AuditList {
  entries: AuditRecord[];
  next_before: number | null;
  /** All actions in the log, to choose from. */
  actions: string[];
  query: AuditQuery;
}

const LEAD = 'Every change, by whom and when. No one can edit or remove entries.';

/** The audit log, newest first. */
export function auditListPage(frame: Frame<StaffActor>, { entries, next_before, actions, query }: AuditList): Html {
  const content = html`<div class="page is-wide">
    ${header()}
    ${filters(actions, query, maySeeContacts(frame.actor))}
    ${entries.length === 0 ? html`<div class="panel">${nothing(query)}</div>` : table(frame, entries)}
    ${pager({ path: (before) => listAddress('/audit', { ...query, before }), current: query.before, next: next_before })}
  </div>`;
  return shellPage(frame, { title: 'Audit log', content });
}

function header(): Html {
  return html`<header class="page-header">
    <h1 class="page-title">Audit log</h1>
    <p class="page-lead">${LEAD}</p>
  </header>`;
}

function table(frame: Frame, entries: AuditRecord[]): Html {
  const rows = entries.map((entry) => {
    const { id, happened_at, case_id, case_name } = entry;
    const words = entryWords(entry);
    const onCase = case_id === null ? null : html`<a class="link" href="/cases/${case_id}">${case_name}</a>`;
    return html`<tr>
      <td data-label="What" class="cell-wide"><a class="link" href="/audit/${id}" title="${words}">${words}</a></td>
      <td data-label="Who">${actorWords(entry)}</td>
      <td data-label="Case">${onCase ?? html`<span class="quiet" aria-hidden="true">–</span>`}</td>
      <td data-label="When" class="is-number">${timeElement(happened_at, frame.clock)}</td>
    </tr>`;
  });
  return dataTable(['What', 'Who', 'Case', numberHeading('When')], rows, 'is-list');
}

function filters(actions: string[], query: AuditQuery, byAddress: boolean): Html {
  const who = html`<label class="filter-field">
    <span>Who</span>
    <input
      class="input input-sm"
      type="email"
      name="who"
      value="${query.who}"
      maxlength="${EMAIL_MAX}"
      placeholder="Email address"
    >
  </label>`;
  const kinds = [...new Set(actions.map((action) => action.split('.', 1)[0] ?? ''))];
  const option = (value: string, words: string, chosen: string | undefined) =>
    html`<option value="${value}" ${value === chosen ? 'selected' : ''}>${words}</option>`;
  const kindOptions = kinds.map((kind) => option(kind, kindWords(kind), query.kind));
  const actionOptions = actions.map((action) => option(action, actionWords(action), query.action));
  return html`<form class="filter-bar" method="get" action="/audit" role="search">
    ${byAddress ? who : ''}
    <label class="filter-field">
      <span>About</span>
      <select class="select select-sm" name="kind"><option value="">Everything</option>${kindOptions}</select>
    </label>
    <label class="filter-field">
      <span>What</span>
      <select class="select select-sm" name="action"><option value="">All changes</option>${actionOptions}</select>
    </label>
    <label class="filter-field is-short">
      <span>Case number</span>
      <input class="input input-sm" inputmode="numeric" pattern="[0-9]*" name="case_id" value="${query.case_id}" maxlength="15">
    </label>
    <label class="filter-field">
      <span>Visit</span>
      <input
        class="input input-sm"
        name="visit"
        value="${query.visit}"
        maxlength="36"
        pattern="[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
        placeholder="Number"
        title="The visit number from an error page"
      >
    </label>
    <label class="filter-field">
      <span>From</span>
      <input class="input input-sm" type="date" name="from" value="${query.from}" max="9999-12-31">
    </label>
    <label class="filter-field">
      <span>To</span>
      <input class="input input-sm" type="date" name="to" value="${query.to}" max="9999-12-31">
    </label>
    <button class="btn btn-sm" type="submit">Show</button>
    ${isNarrowed(query) ? html`<a class="btn btn-sm btn-ghost" href="/audit">Show all</a>` : ''}
  </form>`;
}

function isNarrowed({ before: _, ...filter }: AuditQuery): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

function nothing(query: AuditQuery): Html {
  if (isNarrowed(query)) return emptyState('search', 'No matching changes', 'Try fewer filters or a longer period.');
  return emptyState('file-text', 'No changes yet', 'Every change appears here right away.');
}
