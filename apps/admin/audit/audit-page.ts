import { type Html, type HtmlValue, html } from '@case-platform/lib/html';
import type { AuditRecord } from '@case-platform/modules/audit';
import { exactTimeWords } from '@case-platform/words/times';
import { userTypeInWords } from '@case-platform/words/user-types';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import { HIDDEN_PART, maySeeContacts } from '../page/contact-parts.ts';
import type { Frame } from '../page/frame.ts';
import { shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { entryWords, kindWords } from './action-words.ts';
import { auditDiff } from './audit-diff.ts';
import { actorWords, layerWords, subjectLink } from './audit-words.ts';
import type { ShownEntry } from './hide-drafts.ts';

const DRAFT = 'The request is a draft again or was never sent. Only its writer can read it.';

/** One entry of the audit log: who, what, before, after, when, from where. */
export function auditPage(frame: Frame<StaffActor>, entry: ShownEntry): Html {
  const { happened_at } = entry;
  const title = sentenceOf(entry);
  const content = html`<div class="page is-roomy">
    <header class="page-header">
      ${backLink('/audit', 'Back to the audit log')}
      <h1 class="page-title">${title}</h1>
      <p class="page-lead">
        ${entry.actor_name === null ? `${actorWords(entry)}, ` : ''}${timeElement(happened_at, frame.clock)}
      </p>
    </header>
    <section aria-labelledby="changed">
      <h2 class="section-title" id="changed">What changed</h2>
      ${entry.isOfDraft ? html`<p class="quiet">${DRAFT}</p>` : auditDiff(entry, frame.clock)}
    </section>
    <section aria-labelledby="where">
      <h2 class="section-title" id="where">Details</h2>
      ${facts(frame, entry)}
    </section>
  </div>`;
  return shellPage(frame, { title, content });
}

/** The whole entry as one sentence: "Paige Whitlock approved the $300.00 Medical request" (AUDIT-4). */
function sentenceOf(entry: ShownEntry): string {
  const words = entryWords(entry);
  return entry.actor_name === null ? words : `${entry.actor_name} ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}

function facts(frame: Frame<StaffActor>, entry: AuditRecord): Html {
  const { actor_id, actor_type, case_id, case_name, layer, ip_address, request_id, visit_id, happened_at, action, id } = entry;
  const who = actor_id === null ? actorWords(entry) : html`<a class="link" href="/users/${actor_id}">${actorWords(entry)}</a>`;
  const type = actor_type === null ? '' : `, ${userTypeInWords(actor_type).toLowerCase()}`;
  const rows: [string, HtmlValue][] = [
    ['Who', html`${who}${type}`],
    [kindWords(entry.subject_type), subjectLink(entry) ?? '–'],
    ['When', html`<time datetime="${happened_at.toISOString()}">${exactTimeWords(happened_at, frame.clock)}</time>`],
    ['From', layerWords(layer)],
  ];
  if (case_id !== null) rows.splice(2, 0, ['Case', html`<a class="link" href="/cases/${case_id}">${case_name}</a>`]);
  if (ip_address !== null) {
    const address = maySeeContacts(frame.actor) ? html`<span class="mono">${ip_address}</span>` : HIDDEN_PART;
    rows.push(['IP address', address]);
  }
  if (visit_id !== null) {
    rows.push(['Visit', html`<a class="link mono" href="/audit?visit=${visit_id}">${visit_id}</a>`]);
  }
  const technical: [string, HtmlValue][] = [['Entry', html`<span class="mono">${id} ${action}</span>`]];
  if (request_id !== null) technical.push(['Request', html`<span class="mono">${request_id}</span>`]);
  const list = (facts: [string, HtmlValue][]) =>
    html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
  return html`${list(rows)}<details class="more-ways"><summary>Technical details</summary>${list(technical)}</details>`;
}
