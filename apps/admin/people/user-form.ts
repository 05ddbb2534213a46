import { html } from '@case-platform/lib/html';
import { displayName, type UserRecord } from '@case-platform/modules/accounts';
import { EMAIL_MAX, PERSON_NAME_MAX, PHONE_FIELD_MAX } from '@case-platform/words/limits';
import { USER_TYPES, type UserType, userTypeInWords } from '@case-platform/words/user-types';
import type { StaffActor } from '../guards/visitors.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { type Choice, options } from './user-list.ts';

/** A form as it was filled in, as text. */
export interface UserFormValues {
  email_address: string;
  user_type: UserType;
  first_name: string;
  last_name: string;
  phone: string;
  agency_id: number | null;
  admin_role_id: number | null;
}

/** Why a form was not accepted. */
export interface FormProblem {
  words: string;
  /** By field, for those that are wrong. */
  fields: Readonly<Record<string, string>>;
  /** The record that stands in the way, for a link to it. */
  existing?: { id: number } | null;
}

interface InviteView {
  values: UserFormValues;
  agencies: Choice[];
  roles: Choice[];
  problem?: FormProblem | undefined;
}

/** Inviting a person. The agency and the staff role are asked for where the role has one. */
export function invitePage(frame: Frame<StaffActor>, { values, agencies, roles, problem }: InviteView): string {
  const { admin } = frame.actor;
  const types = USER_TYPES.map((type) => ({ id: type, name: userTypeInWords(type) }));
  const staffRole = admin.can('manage_roles')
    ? select('admin_role_id', 'Staff role', roles, values.admin_role_id, 'None for now')
    : '<p class="field-hint">Somebody who manages roles gives them their role afterwards.</p>';
  const form = html`<form method="post" action="/users" class="invite-form" data-busy-words="Sending…">
  !${csrfField(frame)}
  <label class="field"><span class="field-label">They are</span><select class="select" name="user_type">!${options(types, values.user_type)}</select></label>
  !${nameFields(values, problem)}
  !${field({ name: 'email_address', label: 'Email address', value: values.email_address, type: 'email', max: EMAIL_MAX, hint: 'The invitation goes there, and they sign in with it.' }, problem)}
  !${phoneField(values.phone, problem)}
  <div class="for-agency">!${select('agency_id', 'Agency', agencies, values.agency_id, 'Choose an agency', problem)}</div>
  <div class="for-staff field">!${staffRole}</div>
  <div class="form-actions"><button class="btn btn-primary" type="submit">!${icon('send')}Send invitation</button><a class="btn btn-ghost" href="/users">Cancel</a></div>
</form>`;
  const content = html`<div class="page is-narrow">
  <header class="page-header">
    <a class="btn btn-ghost btn-sm btn-square" href="/users" aria-label="Back to all people" title="Back to all people">!${icon('arrow-left')}</a>
    <h1 class="page-title">Invite a person</h1>
    <p class="page-lead">They get an email with a link that works for 7 days. With it they choose a password; until then they cannot sign in.</p>
  </header>
  !${problemNotice(problem)}
  !${admin.can('edit_users') ? form : notice('info', 'Your role does not allow inviting people.')}
</div>`;
  return shellPage(frame, { title: 'Invite a person', content });
}

interface EditView {
  user: UserRecord;
  values: Omit<UserFormValues, 'user_type' | 'admin_role_id'>;
  agencies: Choice[];
  problem?: FormProblem | undefined;
}

/** Changing a person's record. */
export function editUserPage(frame: Frame<StaffActor>, { user, values, agencies, problem }: EditView): string {
  const { admin } = frame.actor;
  const isAgencyPerson = user.user_type === 'cm' || user.user_type === 'owner';
  const mayMove = user.user_type !== 'admin' || admin.can('manage_roles');
  const form = html`<form method="post" action="/users/${user.id}" data-busy-words="Saving…">
  !${csrfField(frame)}
  !${nameFields(values, problem)}
  !${field({ name: 'email_address', label: 'Email address', value: values.email_address, type: 'email', max: EMAIL_MAX, isFixed: !mayMove, hint: mayMove ? movedHint(user) : 'For a member of staff this takes someone who manages roles.' }, problem)}
  !${phoneField(values.phone, problem)}
  !${isAgencyPerson ? select('agency_id', 'Agency', agencies, values.agency_id, 'Choose an agency', problem) : ''}
  <div class="form-actions"><button class="btn btn-primary" type="submit">Save</button><a class="btn btn-ghost" href="/users/${user.id}">Cancel</a></div>
</form>`;
  const content = html`<div class="page is-narrow">
  <header class="page-header">
    <a class="btn btn-ghost btn-sm btn-square" href="/users/${user.id}" aria-label="Back to the record" title="Back to the record">!${icon('arrow-left')}</a>
    <h1 class="page-title">${displayName(user)}</h1>
    <p class="page-lead">Role: ${userTypeInWords(user.user_type)}. A record keeps its role; for another one, invite them again.</p>
  </header>
  !${problemNotice(problem)}
  !${admin.can('edit_users') ? form : notice('info', 'Your role does not allow changing records.')}
</div>`;
  return shellPage(frame, { title: `Change ${displayName(user)}`, content });
}

function movedHint({ status }: UserRecord): string {
  if (status === 'invited')
    return 'With another address they are invited anew, and the link in the first mail works no more.';
  return 'Another address counts once they follow the link that we send to it. Until then they sign in with this one, which is told.';
}

function problemNotice(problem: FormProblem | undefined): string {
  if (problem === undefined) return '';
  const { existing } = problem;
  const link = existing
    ? html`<p class="account-after"><a class="link" href="/users/${existing.id}">Open the record that is there</a></p>`
    : '';
  return html`<div class="form-problem">!${notice('error', problem.words)}!${link}</div>`;
}

function nameFields(values: { first_name: string; last_name: string }, problem: FormProblem | undefined): string {
  return html`<div class="field-pair">
  !${field({ name: 'first_name', label: 'First name', value: values.first_name, max: PERSON_NAME_MAX }, problem)}
  !${field({ name: 'last_name', label: 'Last name', value: values.last_name, max: PERSON_NAME_MAX }, problem)}
</div>`;
}

function phoneField(value: string, problem: FormProblem | undefined): string {
  const hint = 'If you know it: with the country, such as +1 202 555 0143.';
  return field(
    { name: 'phone', label: 'Phone', value, type: 'tel', max: PHONE_FIELD_MAX, isOptional: true, hint },
    problem,
  );
}

interface Field {
  name: string;
  label: string;
  value: string;
  max: number;
  type?: 'text' | 'email' | 'tel';
  hint?: string;
  isOptional?: boolean;
  isFixed?: boolean;
}

function field(shown: Field, problem: FormProblem | undefined): string {
  const { name, label, value, max, type = 'text', hint = '', isOptional = false, isFixed = false } = shown;
  const error = problem?.fields[name];
  const described = [hint === '' ? '' : `${name}-hint`, error === undefined ? '' : `${name}-error`].filter(Boolean);
  const marks = [
    isOptional ? '' : 'required',
    isFixed ? 'readonly' : '',
    error === undefined ? '' : 'aria-invalid="true"',
    described.length === 0 ? '' : `aria-describedby="${described.join(' ')}"`,
  ];
  return html`<div class="field"><label class="field-label" for="${name}">${label}</label>
  <input class="input" id="${name}" type="${type}" name="${name}" value="${value}" maxlength="${max}" autocomplete="off" !${marks.join(' ')}>
  !${hint === '' ? '' : html`<span class="field-hint" id="${name}-hint">${hint}</span>`}
  !${error === undefined ? '' : html`<span class="field-error" id="${name}-error">${error}</span>`}
</div>`;
}

function select(
  name: string,
  label: string,
  choices: Choice[],
  chosen: number | null,
  none: string,
  problem?: FormProblem,
): string {
  const error = problem?.fields[name];
  return html`<label class="field"><span class="field-label">${label}</span><select class="select" name="${name}"><option value="">${none}</option>!${options(choices, chosen)}</select>!${error === undefined ? '' : html`<span class="field-error">${error}</span>`}</label>`;
}
