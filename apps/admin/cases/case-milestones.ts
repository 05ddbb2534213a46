import { html } from '@case-platform/lib/html';
import { MILESTONE_KINDS, type Milestone } from '@case-platform/modules/cases';
import { dayOf } from '@case-platform/words/days';
import { AMOUNT_FIELD_MAX, MILESTONE_NOTE_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/names';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';
import { dayElement } from '../page/times.ts';
import type { CaseView } from './case-page.ts';

/** What has happened in a case, the latest first, and the form that adds to it. */
export function caseMilestones(frame: Frame<StaffActor>, { outline, milestones, failed }: CaseView): string {
  const mayAdd = frame.actor.admin.can('edit_case_details');
  const list =
    milestones.length === 0
      ? '<p class="quiet">Nothing is noted yet. Milestones tell everyone on the case how far it is.</p>'
      : html`<ol class="timeline">!${milestones.map((one, at) => item(frame, one, at === 0))}</ol>`;
  return html`<section aria-labelledby="milestones"><h2 class="section-title" id="milestones">Milestones</h2>
  !${list}
  !${mayAdd ? form(frame, outline.id, failed?.fields) : ''}
</section>`;
}

function item(
  frame: Frame,
  { kind, happened_on, note, funding_required_cents, created_by }: Milestone,
  isNow: boolean,
) {
  const funding =
    funding_required_cents === null
      ? ''
      : html` <span class="state-pill is-waiting">${moneyWords(funding_required_cents)} to be paid in</span>`;
  return html`<li class="timeline-item ${isNow ? 'is-now' : ''}">
  <span class="timeline-what">${sentence(kind)}!${funding}</span>
  !${note === '' ? '' : html`<p class="timeline-note">${note}</p>`}
  <span class="timeline-when">!${dayElement(happened_on, frame.clock)}, noted by ${created_by.name}</span>
</li>`;
}

function form(frame: Frame, caseId: number, fields: Record<string, string> | undefined): string {
  const today = dayOf(frame.clock.now, frame.clock.zone);
  const { kind = '', happened_on = today, note = '', funding_required = '' } = fields ?? {};
  const kinds = MILESTONE_KINDS.map(
    (value) => html`<option value="${value}" !${value === kind ? 'selected' : ''}>${sentence(value)}</option>`,
  );
  return html`<details class="more-ways" !${fields === undefined ? '' : 'open'}><summary>Add a milestone</summary>
  <form class="panel edit-panel" method="post" action="/cases/${caseId}/milestones" data-busy-words="Adding…">!${csrfField(frame)}
    <div class="field-pair">
      <label class="field"><span class="field-label">What has happened</span><select class="select" name="kind">!${kinds}</select></label>
      <label class="field"><span class="field-label">On</span><input class="input" type="date" name="happened_on" value="${happened_on}" max="${today}" required></label>
    </div>
    <label class="field"><span class="field-label">Note</span><span class="field-hint">Everyone on the case can read it.</span><textarea class="textarea" name="note" rows="2" maxlength="${MILESTONE_NOTE_MAX}">${note}</textarea></label>
    <label class="field"><span class="field-label">Funding required</span><span class="field-hint">With a confirmed pregnancy alone, in dollars: the parents are asked by email to pay it in.</span><input class="input" name="funding_required" inputmode="decimal" value="${funding_required}" maxlength="${AMOUNT_FIELD_MAX}" placeholder="None"></label>
    <button class="btn btn-primary" type="submit">!${icon('flag')}Add milestone</button>
  </form></details>`;
}
