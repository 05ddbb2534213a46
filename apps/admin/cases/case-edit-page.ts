import { type Html, html } from '@case-platform/lib/html';
import type { Agency, Permission, StaffMember } from '@case-platform/modules/accounts';
import {
  CASE_MOVES,
  type CaseOutline,
  type CasePerson,
  ENDING_CASE_STATUSES,
  OPEN_CASE_STATUSES,
  type OpenMoney,
  openMoneyWords,
  type TeamMember,
} from '@case-platform/modules/cases';
import { CASE_NAME_MAX, EMAIL_MAX } from '@case-platform/words/limits';
import { USER_TYPES, userTypeInWords } from '@case-platform/words/user-types';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { formNotices, options, refusedAt, selectField, textField } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { personLine } from '../page/person.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { caseState, caseStateWords } from '../page/words.ts';

interface CaseEdit {
  outline: CaseOutline;
  people: CasePerson[];
  team: TeamMember[];
  agencies: Agency[];
  staff: StaffMember[];
  /** Money matters to finish before the case can be closed or cancelled. */
  openMoney: OpenMoney[];
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** Any of these permissions opens the page, which has a part for each. */
export const CASE_EDITORS = ['edit_case_details', 'assign_case', 'close_case'] as const satisfies Permission[];

/** The forms that change a case, each for those whose role allows it. */
export function caseEditPage(frame: Frame<StaffActor>, edit: CaseEdit): Html {
  const { outline, done, refused } = edit;
  const { can } = frame.actor.admin;
  const forms = [
    ...(can('edit_case_details') ? [details(frame, edit), state(frame, edit), people(frame, edit)] : []),
    ...(can('assign_case') ? [specialist(frame, edit), team(frame, edit)] : []),
    ...(can('close_case') ? [closing(frame, edit)] : []),
  ];
  const content = html`<div class="page is-narrow">
    <header class="page-header">
      ${backLink(`/cases/${outline.id}`, 'Back to the case')}
      <h1 class="page-title">Edit ${outline.name}</h1>
      <p class="page-lead">${caseState(outline.status)} We keep every change in the audit log.</p>
    </header>
    ${formNotices({ done, refused })}
    ${forms}
  </div>`;
  return shellPage(frame, { title: `Edit ${outline.name}`, content });
}

function part(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}"><h2 class="section-title" id="${id}">${title}</h2>${content}</section>`;
}

function details(frame: Frame, { outline, people: parties, agencies, staff, ...edit }: CaseEdit): Html {
  const action = `/cases/${outline.id}`;
  const refused = refusedAt(action, edit.refused);
  const parents = parties
    .filter(({ user_type }) => user_type === 'ip' || user_type === 'ip_rep')
    .map(({ user_id: id, name, user_type }) => ({ id, name: `${name}, ${userTypeInWords(user_type).toLowerCase()}` }));
  const deciding = staff.flatMap(({ id, name, may_approve }) => {
    if (may_approve) return [{ id, name }];
    return id === outline.approver_id ? [{ id, name: `${name}, can’t approve requests` }] : [];
  });
  const approver = selectField(
    {
      name: 'approver_id',
      label: 'Approves requests',
      value: outline.approver_id,
      hint: 'Nobody can approve their own request. Staff need access to the case and a role that can approve requests.',
      none: 'The first parent',
      choices: parents,
      more: (value) => html`<optgroup label="Staff">${options(deciding, value)}</optgroup>`,
    },
    refused,
  );
  const agency = { name: 'agency_id', label: 'Agency', value: outline.agency_id, choices: agencies };
  const day = { name: 'close_due_on', label: 'Close by', value: outline.close_due_on, isOptional: true };
  return part(
    'details',
    'Details',
    html`<form class="panel edit-panel" method="post" action="${action}" data-busy-words="Saving…">
      ${csrfField(frame)}
      ${textField({ name: 'name', label: 'Name', value: outline.name, max: CASE_NAME_MAX }, refused)}
      <div class="field-pair">
        ${selectField({ ...agency, none: 'No agency' }, refused)}
        ${textField({ ...day, type: 'date' }, refused)}
      </div>
      ${approver}
      <button class="btn btn-primary" type="submit">Save details</button>
    </form>`,
  );
}

function state(frame: Frame, { outline: { id, status }, refused }: CaseEdit): Html {
  if (!OPEN_CASE_STATUSES.some((open) => open === status)) return html``;
  const action = `/cases/${id}/status`;
  const choices = OPEN_CASE_STATUSES.map((value) => ({ id: value, name: caseStateWords(value) }));
  const where = { name: 'status', label: 'Case state', choices, value: status };
  return part(
    'state',
    'State',
    html`<form class="panel edit-panel inline-form" method="post" action="${action}">
      ${csrfField(frame)}
      ${selectField(where, refusedAt(action, refused))}
      <button class="btn" type="submit">Change state</button>
    </form>`,
  );
}

const ENDINGS: Record<(typeof ENDING_CASE_STATUSES)[number], { words: string; text: string }> = {
  closing: {
    words: 'Begin closing',
    text: 'Everyone on the case will see that it’s closing. You can reopen it later.',
  },
  closed: {
    words: 'Close the case',
    text: 'No one can request or pay anything after that. Finish open requests and refund what’s left first. You can reopen the case later.',
  },
  cancelled: {
    words: 'Cancel the case',
    text: 'Use this if the journey won’t go ahead. Finish open requests and refund what’s left first. You can reopen the case later.',
  },
  active: { words: 'Reopen the case', text: 'The case becomes active again.' },
};

function closing(frame: Frame, { outline: { id, status }, openMoney }: CaseEdit): Html {
  const open = OPEN_CASE_STATUSES.some((value) => value === status);
  const states = ENDING_CASE_STATUSES.filter((to) => CASE_MOVES[status].includes(to) && (to !== 'active' || !open));
  const dialogs = states.map(
    (to) =>
      html`<div>
        ${confirmDialog(frame, {
          id: `end-${to}`,
          button: ENDINGS[to].words,
          title: `${ENDINGS[to].words}?`,
          text: ENDINGS[to].text,
          action: `/cases/${id}/close`,
          yes: ENDINGS[to].words,
          no: 'Cancel',
          isLoss: to !== 'active',
          fields: { status: to },
        })}
      </div>`,
  );
  const canEnd = states.some((to) => to === 'closed' || to === 'cancelled');
  return part(
    'closing',
    open ? 'Close' : 'Close or reopen',
    html`<div class="panel edit-panel">${canEnd ? unfinished(openMoney) : ''}<div class="button-line">${dialogs}</div></div>`,
  );
}

/** Shown before anyone presses a button that would be refused. */
function unfinished(openMoney: readonly OpenMoney[]): Html {
  if (openMoney.length === 0) return html``;
  const items = openMoney.map((one) => html`<li>${openMoneyWords(one)}</li>`);
  return html`<div class="notice is-waiting" role="note">
    ${icon('circle-alert')}
    <div>
      <p class="notice-title">Finish this before you close or cancel the case</p>
      <ul>${items}</ul>
    </div>
  </div>`;
}

function people(frame: Frame, { outline: { id, name }, people: parties, ...edit }: CaseEdit): Html {
  const rows = parties.map(
    (person) =>
      html`<li class="flex items-center justify-between gap-4">
        ${personLine(person.name, userTypeInWords(person.user_type))}
        <span>${confirmDialog(frame, {
          id: `leave-${person.user_id}`,
          button: 'Remove',
          title: `Remove ${person.name} from ${name}?`,
          text: 'They’ll lose access to the case and its conversations right away. What they wrote stays.',
          action: `/cases/${id}/people/${person.user_id}/remove`,
          yes: `Remove ${person.name}`,
          no: 'Cancel',
        })}</span>
      </li>`,
  );
  const action = `/cases/${id}/people`;
  const refused = refusedAt(action, edit.refused);
  const types = USER_TYPES.filter((type) => type !== 'admin');
  const choices = types.map((type) => ({ id: type, name: userTypeInWords(type) }));
  return part(
    'people',
    'People',
    html`${rows.length === 0 ? '' : html`<ul class="people panel">${rows}</ul>`}
      <form class="panel edit-panel mt-3" method="post" action="${action}" data-busy-words="Adding…">
        ${csrfField(frame)}
        <div class="field-pair">
          ${textField({ name: 'email_address', label: 'Email address', type: 'email', max: EMAIL_MAX }, refused)}
          ${selectField({ name: 'user_type', label: 'Their role', choices }, refused)}
        </div>
        <p class="field-hint">They need an account in this role. They won’t see earlier conversations.</p>
        <button class="btn" type="submit">${icon('user-plus')}Add to the case</button>
      </form>`,
  );
}

function specialist(frame: Frame, { outline, staff, refused }: CaseEdit): Html {
  const action = `/cases/${outline.id}/escrow-specialist`;
  const choices = staff.filter(({ id, may_answer }) => may_answer || id === outline.escrow_specialist_id);
  const who = { id: 'specialist-id', name: 'admin_id', label: 'Escrow specialist in charge', choices, none: 'Nobody' };
  return part(
    'specialist',
    'Escrow specialist',
    html`<form class="panel edit-panel inline-form" method="post" action="${action}">
      ${csrfField(frame)}
      ${selectField({ ...who, value: outline.escrow_specialist_id }, refusedAt(action, refused))}
      <button class="btn" type="submit">Assign</button>
      <p class="field-hint">
        They’ll get new conversations. Existing ones keep their owner until someone reassigns them, except those that the current
        one started.
      </p>
    </form>`,
  );
}

function team(frame: Frame, { outline: { id, name }, team: members, staff, refused }: CaseEdit): Html {
  const rows = members.map(
    (member) =>
      html`<li class="flex items-center justify-between gap-4">
        ${personLine(member.name, member.role_name ?? 'No role', { staff: true })}
        <span>${confirmDialog(frame, {
          id: `team-${member.user_id}`,
          button: 'Remove',
          title: `Remove ${member.name} from the ${name} team?`,
          text: 'They’ll lose access to the case unless their role can see all cases. Conversations that they started go to the escrow specialist; they keep others assigned to them.',
          action: `/cases/${id}/team/${member.user_id}/remove`,
          yes: `Remove ${member.name}`,
          no: 'Cancel',
        })}</span>
      </li>`,
  );
  const onTeam = new Set(members.map(({ user_id }) => user_id));
  const action = `/cases/${id}/team`;
  const who = {
    id: 'team-member-id',
    name: 'admin_id',
    label: 'Add a colleague',
    choices: staff.filter((admin) => !onTeam.has(admin.id)),
  };
  return part(
    'team',
    'Team',
    html`${rows.length === 0 ? '' : html`<ul class="people panel">${rows}</ul>`}
      <form class="panel edit-panel inline-form mt-3" method="post" action="${action}">
        ${csrfField(frame)}
        ${selectField(who, refusedAt(action, refused))}
        <button class="btn" type="submit">${icon('user-plus')}Add to the team</button>
      </form>`,
  );
}
