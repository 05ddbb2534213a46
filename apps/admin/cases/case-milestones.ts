import { type Html, html } from '@case-platform/lib/html';
import { MILESTONE_KINDS, type Milestone } from '@case-platform/modules/cases';
import { counted } from '@case-platform/words/counts';
import { dayOf } from '@case-platform/words/days';
import { MILESTONE_NOTE_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { amountField, refusedAt, selectField, textArea, textField } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField } from '../page/shell.ts';
import { dayElement } from '../page/times.ts';

/** The latest milestones are shown, and earlier ones unfold. A single one is not folded. */
const LATEST = 2;

/** The milestones of a case, the latest first, and the form that adds one. */
export function caseMilestones(
  frame: Frame<StaffActor>,
  caseId: number,
  { milestones, refused }: { milestones: Milestone[]; refused: RefusedForm | undefined },
): Html {
  const mayAdd = frame.actor.admin.can('edit_case_details');
  const items = milestones.map((one, at) => item(frame, one, at === 0));
  const count = items.length > LATEST + 1 ? LATEST : items.length;
  const earlier = html`<details class="more-ways">
    <summary>${counted(items.length - count, 'earlier milestone')}</summary>
    <ol class="timeline">${items.slice(count)}</ol>
  </details>`;
  const list =
    items.length === 0
      ? html`<p class="quiet">No milestones yet. They show everyone how far along the case is.</p>`
      : html`<ol class="timeline">${items.slice(0, count)}</ol>${count === items.length ? '' : earlier}`;
  return html`<section aria-labelledby="milestones">
    <h2 class="section-title" id="milestones">Milestones</h2>
    ${list}
    ${mayAdd ? form(frame, caseId, refused) : ''}
  </section>`;
}

function item(frame: Frame, { kind, happened_on, note, funding_required_cents, created_by }: Milestone, isNow: boolean) {
  const funding =
    funding_required_cents === null
      ? ''
      : html` <span class="state-pill is-waiting">${moneyWords(funding_required_cents)} deposit needed</span>`;
  return html`<li class="timeline-item ${isNow ? 'is-now' : ''}">
    <span class="timeline-what">${sentence(kind)}${funding}</span>
    ${note === '' ? '' : html`<p class="timeline-note">${note}</p>`}
    <span class="timeline-when">${dayElement(happened_on, frame.clock)}, added by ${created_by.name}</span>
  </li>`;
}

function form(frame: Frame, caseId: number, anyRefused: RefusedForm | undefined): Html {
  const today = dayOf(frame.clock.now, frame.clock.zone);
  const action = `/cases/${caseId}/milestones`;
  const refused = refusedAt(action, anyRefused);
  const kinds = MILESTONE_KINDS.map((kind) => ({ id: kind, name: sentence(kind) }));
  const day = { name: 'happened_on', label: 'On', value: today, type: 'date', more: html`max="${today}"` } as const;
  const note = {
    name: 'note',
    label: 'Note',
    hint: 'Everyone on the case can see this.',
    rows: 2,
    max: MILESTONE_NOTE_MAX,
  };
  const funding = {
    name: 'funding_required',
    label: 'Funding required',
    hint: 'In dollars, for a confirmed pregnancy only. We’ll email the parents to ask for the deposit.',
    more: html`placeholder="None"`,
  };
  return html`<details class="more-ways" ${refused === undefined ? '' : 'open'}>
    <summary>Add a milestone</summary>
    <form class="panel edit-panel" method="post" action="${action}" data-busy-words="Adding…">
      ${csrfField(frame)}
      <div class="field-pair">
        ${selectField({ name: 'kind', label: 'What happened', choices: kinds }, refused)}
        ${textField(day, refused)}
      </div>
      ${textArea({ ...note, isOptional: true }, refused)}
      ${amountField({ ...funding, look: 'input', isOptional: true }, refused)}
      <button class="btn btn-primary" type="submit">${icon('flag')}Add milestone</button>
    </form>
  </details>`;
}
