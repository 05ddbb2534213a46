import { type Html, type HtmlValue, html } from '@case-platform/lib/html';
import type { CaseOutline, CasePerson, TeamMember } from '@case-platform/modules/cases';
import { userTypeInWords } from '@case-platform/words/user-types';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { personLine } from '../page/person.ts';
import { dayElement } from '../page/times.ts';

interface CaseAndPeople {
  outline: CaseOutline;
  people: CasePerson[];
  team: TeamMember[];
}

/** In one line: the escrow specialist, the approver, the agency, and the day by which the case should be closed. */
export function caseFacts(frame: Frame<StaffActor>, view: CaseAndPeople): Html {
  return html`<dl class="fact-strip">${facts(frame, view)}</dl>`;
}

/** Everyone on a case, and the staff who work on it. */
export function casePeople(frame: Frame<StaffActor>, view: CaseAndPeople): Html {
  const { people, team, outline } = view;
  const someone = (id: number, name: string, role: string, staff = false) =>
    html`<li>${linked(frame, id, personLine(name, role, { staff }))}</li>`;
  const parties = people.map(({ user_id, name, user_type }) => someone(user_id, name, userTypeInWords(user_type)));
  const others = team.filter(({ user_id }) => user_id !== outline.escrow_specialist_id);
  const staff = others.map(({ user_id, name, role_name }) => someone(user_id, name, role_name ?? 'No role', true));
  return html`<section aria-labelledby="people">
      <h2 class="section-title" id="people">People</h2>
      ${parties.length === 0 ? html`<p class="quiet">Nobody yet.</p>` : html`<ul class="people panel">${parties}</ul>`}
    </section>
    ${
      staff.length === 0
        ? ''
        : html`<section aria-labelledby="team">
          <h2 class="section-title" id="team">Team</h2>
          <ul class="people panel">${staff}</ul>
        </section>`
    }`;
}

function facts(frame: Frame<StaffActor>, { outline, people }: CaseAndPeople): Html[] {
  const { agency_id, agency_name, escrow_specialist_id, escrow_specialist_name, approver_name, close_due_on } = outline;
  const fact = (name: string, value: HtmlValue) => html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
  const specialist =
    escrow_specialist_id === null || escrow_specialist_name === null
      ? html`<span class="state-pill is-waiting">Nobody</span>`
      : linked(frame, escrow_specialist_id, escrow_specialist_name);
  const firstParent = people.find(({ user_type }) => user_type === 'ip')?.name;
  const approver = approver_name ?? firstParent;
  const agency = frame.actor.admin.can('view_agencies')
    ? html`<a class="link" href="/agencies/${agency_id}">${agency_name}</a>`
    : agency_name;
  return [
    fact('Escrow specialist', specialist),
    fact('Approves requests', approver === undefined ? html`<span class="quiet">Staff</span>` : approver),
    ...(agency_name === null ? [] : [fact('Agency', agency)]),
    ...(close_due_on === null ? [] : [fact('Close by', dayElement(close_due_on, frame.clock))]),
  ];
}

/** Links to the person's page, for readers who may see it. */
function linked({ actor }: Frame<StaffActor>, id: number, content: HtmlValue): HtmlValue {
  return actor.admin.can('view_users') ? html`<a class="person-link" href="/users/${id}">${content}</a>` : content;
}
