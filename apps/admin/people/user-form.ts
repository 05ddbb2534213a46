import { type Html, html } from '@case-platform/lib/html';
import { displayName, type UserRecord } from '@case-platform/modules/accounts';
import { EMAIL_MAX, PERSON_NAME_MAX, PHONE_FIELD_MAX } from '@case-platform/words/limits';
import { USER_TYPES, userTypeInWords } from '@case-platform/words/user-types';
import { formNotices, selectField, textField } from '../form/fields.ts';
import { orConfirmFirst } from '../form/recent-proof.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { type RoleToChoose, roleChoices } from './role-choice.ts';

/** Something to choose by its name. */
interface Choice {
  id: number;
  name: string;
}

interface InviteView {
  agencies: Choice[];
  roles: RoleToChoose[];
  refused?: RefusedForm | undefined;
  /** The record that is there already, for a link to it. */
  existing?: { id: number } | null;
}

/** The form that invites a person. It has fields for an agency and a staff role if the user type has them. */
export function invitePage(frame: Frame<StaffActor>, { agencies, roles, refused, existing }: InviteView): Html {
  const { admin } = frame.actor;
  const types = USER_TYPES.map((type) => ({ id: type, name: userTypeInWords(type) }));
  const { choices, chosen: value } = roleChoices(roles, refused);
  const staffRole = { name: 'admin_role_id', label: 'Staff role', choices, value, none: 'None for now' };
  const hint = 'We’ll send the invitation here. They’ll also sign in with it.';
  const form = html`<form method="post" action="/users" class="invite-form" data-busy-words="Sending…">
    ${csrfField(frame)}
    ${selectField({ name: 'user_type', label: 'User type', choices: types, value: 'ip' }, refused)}
    ${nameFields({ first_name: '', last_name: '' }, refused)}
    ${textField({ ...EMAIL, hint }, refused)}
    ${textField(PHONE, refused)}
    <div class="for-agency">${selectField({ ...AGENCY, choices: agencies }, refused)}</div>
    <div class="for-staff field">
      ${
        admin.can('manage_roles')
          ? selectField(staffRole, refused)
          : html`<p class="field-hint">Someone who manages roles will give them a role later.</p>`
      }
    </div>
    <div class="form-actions">
      <button class="btn btn-primary" type="submit">${icon('send')}Send invitation</button>
      <a class="btn btn-ghost" href="/users">Cancel</a>
    </div>
  </form>`;
  const link = existing
    ? html`<p class="form-problem"><a class="link" href="/users/${existing.id}">Open the existing record</a></p>`
    : '';
  const content = html`<div class="page is-narrow">
    <header class="page-header">
      ${backLink('/users', 'Back to all people')}
      <h1 class="page-title">Invite a person</h1>
      <p class="page-lead">We’ll email them a link to choose a password. It works for 7 days.</p>
    </header>
    ${formNotices({ refused })}
    ${link}
    ${form}
  </div>`;
  return shellPage(frame, { title: 'Invite a person', content });
}

interface EditView {
  user: UserRecord;
  agencies: Choice[];
  refused: RefusedForm | undefined;
}

/** Changing a person's record. */
export function editUserPage(frame: Frame<StaffActor>, { user, agencies, refused }: EditView): Html {
  const { admin } = frame.actor;
  const isAgencyPerson = user.user_type === 'cm' || user.user_type === 'owner';
  const mayMove = user.user_type !== 'admin' || admin.can('manage_roles');
  const hint = mayMove ? movedHint(user) : 'Only someone who manages roles can change a staff member’s address.';
  const email = { ...EMAIL, value: user.email_address, hint, more: mayMove ? '' : 'readonly' };
  const form = html`<form method="post" action="/users/${user.id}" data-busy-words="Saving…">
    ${csrfField(frame)}
    ${nameFields(user, refused)}
    ${textField(email, refused)}
    ${textField({ ...PHONE, value: user.phone }, refused)}
    ${isAgencyPerson ? selectField({ ...AGENCY, choices: agencies, value: user.agency_id }, refused) : ''}
    <div class="form-actions">
      <button class="btn btn-primary" type="submit">Save</button>
      <a class="btn btn-ghost" href="/users/${user.id}">Cancel</a>
    </div>
  </form>`;
  const content = html`<div class="page is-narrow">
    <header class="page-header">
      ${backLink(`/users/${user.id}`, 'Back to the record')}
      <h1 class="page-title">${displayName(user)}</h1>
      <p class="page-lead">Role: ${userTypeInWords(user.user_type)}. To give them another user type, invite them again.</p>
    </header>
    ${formNotices({ refused })}
    ${orConfirmFirst(frame, refused, form)}
  </div>`;
  return shellPage(frame, { title: `Change ${displayName(user)}`, content });
}

const EMAIL = { name: 'email_address', label: 'Email address', type: 'email', max: EMAIL_MAX } as const;
const PHONE = {
  name: 'phone',
  label: 'Phone',
  max: PHONE_FIELD_MAX,
  isOptional: true,
  type: 'tel',
  hint: 'With the country code, such as +1 202 555 0143.',
} as const;
const AGENCY = { name: 'agency_id', label: 'Agency', none: 'Choose an agency' };

function nameFields(
  { first_name, last_name }: { first_name: string; last_name: string },
  refused: RefusedForm | undefined,
): Html {
  return html`<div class="field-pair">
    ${textField({ name: 'first_name', label: 'First name', value: first_name, max: PERSON_NAME_MAX }, refused)}
    ${textField({ name: 'last_name', label: 'Last name', value: last_name, max: PERSON_NAME_MAX }, refused)}
  </div>`;
}

function movedHint({ status }: UserRecord): string {
  if (status === 'invited') return 'If you change it, we’ll send a new invitation, and the first link stops working.';
  return 'A new address counts once they open the link we send to it. Until then, they sign in with this one. We’ll tell them here, too.';
}
