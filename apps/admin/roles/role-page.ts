import { type Html, html } from '@case-platform/lib/html';
import {
  CATALOGUE,
  displayName,
  MEMBERS_SHOWN,
  type PermissionCategory,
  permissionsIn,
  permissionWords,
  type Role,
  type RoleGrant,
  type RoleMember,
} from '@case-platform/modules/accounts';
import { counted } from '@case-platform/words/counts';
import { ROLE_NAME_MAX } from '@case-platform/words/limits';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { choiceAttributes, fieldError, formNotices, refusedAt, textField } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import { maySeeContacts } from '../page/contact-parts.ts';
import type { Frame } from '../page/frame.ts';
import { personLine } from '../page/person.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { userStateWords } from '../page/user-state.ts';
import { roleGrants } from './role-grants.ts';

interface RoleView {
  role: Role;
  members: RoleMember[];
  /** Role changes that wait for another administrator. */
  grants: RoleGrant[];
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** A role: what it allows, and who has it. */
export function rolePage(frame: Frame<StaffActor>, view: RoleView): Html {
  const { role, members, grants, done, refused } = view;
  const mayEdit = frame.actor.admin.can('manage_roles');
  const content = html`<div class="page is-roomy">
    <header class="page-header">
      ${backLink('/roles', 'Back to all roles')}
      <h1 class="page-title">${role.name}</h1>
      <p class="page-lead">${counted(role.permissions.length, 'permission')}, ${membersWords(members)}</p>
    </header>
    ${formNotices({ done, refused })}
    ${roleGrants(frame, grants)}
    <div class="page-columns">
      <section aria-labelledby="allows">
        <h2 class="section-title" id="allows">What it allows</h2>
        ${mayEdit ? permissionForm(frame, role, refused) : granted(role)}
      </section>
      <div>
        <section aria-labelledby="people">
          <h2 class="section-title" id="people">Who has it</h2>
          ${people(frame, role, members)}
        </section>
        ${mayEdit ? nameSection(frame, role, refused) : ''}
        ${mayEdit ? deleteSection(frame, view) : ''}
      </div>
    </div>
  </div>`;
  return shellPage(frame, { title: role.name, content });
}

const CATEGORIES = Object.keys(CATALOGUE) as PermissionCategory[];

function permissionForm(frame: Frame, role: Role, anyRefused: RefusedForm | undefined): Html {
  const action = `/roles/${role.id}/permissions`;
  const refused = refusedAt(action, anyRefused);
  const groups = CATEGORIES.map((category) => {
    const boxes = permissionsIn(category).map(
      (value) => html`<li>
        <label>
          <input
            class="checkbox"
            type="checkbox"
            ${choiceAttributes('permissions', refused)}
            name="permissions"
            value="${value}"
            ${role.permissions.includes(value) ? 'checked' : ''}
          >
          <span>${permissionWords(value)}</span>
        </label>
      </li>`,
    );
    return html`<fieldset class="permission-group">
      <legend>${category}</legend>
      <ul class="choices">${boxes}</ul>
    </fieldset>`;
  });
  return html`<form class="panel permission-form" method="post" action="${action}" data-busy-words="Saving…">
    ${csrfField(frame)}
    <input type="hidden" name="version" value="${role.version}">
    <div class="permission-groups">${groups}</div>
    ${fieldError('permissions', refused)}
    <div class="form-actions"><button class="btn btn-primary" type="submit">Save permissions</button></div>
  </form>`;
}

function granted(role: Role): Html {
  if (role.permissions.length === 0) return html`<p class="quiet">Nothing yet.</p>`;
  const groups = CATEGORIES.map((category) => {
    const values = permissionsIn(category).filter((value) => role.permissions.includes(value));
    const items = values.map((value) => html`<li>${permissionWords(value)}</li>`);
    return values.length === 0
      ? ''
      : html`<section class="permission-group">
        <h3>${category}</h3>
        <ul>${items}</ul>
      </section>`;
  });
  return html`<div class="panel permission-form"><div class="permission-groups">${groups}</div></div>`;
}

function membersWords(members: RoleMember[]): string {
  if (members.length === 0) return 'not in use';
  if (members.length >= MEMBERS_SHOWN) return `${MEMBERS_SHOWN} people or more have it`;
  return `${counted(members.length, 'person has it', 'people have it')}`;
}

function people(frame: Frame<StaffActor>, role: Role, members: RoleMember[]): Html {
  if (members.length === 0) return html`<p class="quiet">No one yet. Assign it on a staff member’s page.</p>`;
  const rows = members.map((member) => {
    const address = maySeeContacts(frame.actor) ? member.email_address : '';
    const note = member.status === 'active' ? address : userStateWords(member.status);
    return html`<li>
      <a class="person-link" href="/users/${member.id}">${personLine(displayName(member), note, { staff: true })}</a>
    </li>`;
  });
  const more = html`<p class="mt-3"><a class="link" href="/users?role_id=${role.id}">See all who have it</a></p>`;
  return html`<ul class="people panel">${rows}</ul>${members.length < MEMBERS_SHOWN ? '' : more}`;
}

function nameSection(frame: Frame, { id, name, version }: Role, refused: RefusedForm | undefined): Html {
  const action = `/roles/${id}/name`;
  const field = { id: 'role-name', name: 'name', label: 'Name of the role', isLabelHidden: true, max: ROLE_NAME_MAX };
  return html`<section aria-labelledby="name">
    <h2 class="section-title" id="name">Name</h2>
    <form class="inline-form" method="post" action="${action}" data-busy-words="Renaming…">
      ${csrfField(frame)}
      <input type="hidden" name="version" value="${version}">
      ${textField({ ...field, value: name }, refusedAt(action, refused))}
      <button class="btn" type="submit">Rename</button>
    </form>
  </section>`;
}

function deleteSection(frame: Frame, { role, members, grants }: RoleView): Html {
  const dialog = confirmDialog(frame, {
    id: 'delete-role',
    button: 'Delete this role',
    title: `Delete “${role.name}”?`,
    text: 'You can’t undo this. No one has this role, so no one loses access.',
    action: `/roles/${role.id}/delete`,
    yes: 'Delete role',
    no: 'Cancel',
  });
  const inUse = html`<p class="quiet">Someone has this role. You can delete it once no one does.</p>`;
  const waitingNote = html`<p class="quiet">
    A change is waiting for a second administrator. You can delete the role once it’s confirmed or refused.
  </p>`;
  const part = members.length > 0 ? inUse : grants.length > 0 ? waitingNote : dialog;
  return html`<section aria-labelledby="delete"><h2 class="section-title" id="delete">Delete</h2>${part}</section>`;
}
