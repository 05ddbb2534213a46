import { type Html, type HtmlValue, html } from '@case-platform/lib/html';
import { assignmentVersion, displayName, type RoleGrant, type UserRecord } from '@case-platform/modules/accounts';
import { DUTIES_MAX, type Duties } from '@case-platform/modules/messaging';
import { counted } from '@case-platform/words/counts';
import { dayHeading } from '@case-platform/words/times';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { fieldAttributes, fieldError, options, refusedAt } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { HIDDEN_PART, maySeeContacts } from '../page/contact-parts.ts';
import type { Frame } from '../page/frame.ts';
import { csrfField } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { type RoleToChoose, roleChoices } from './role-choice.ts';
import { twoFactorWords } from './user-words.ts';

interface Shown {
  user: UserRecord;
  roles: RoleToChoose[];
  grants: RoleGrant[];
  duties: Duties | undefined;
  isStronger: boolean;
  refused: RefusedForm | undefined;
}

/** The state of an account, each part with the buttons that the reader may use. */
export function userActions(frame: Frame<StaffActor>, { user, roles, grants, duties, isStronger, refused }: Shown): Html {
  const { admin } = frame.actor;
  const isOwn = frame.actor.user.id === user.id;
  const mayEdit = admin.can('edit_users') && !isOwn && !isStronger;
  return html`<section class="account-side" aria-labelledby="account">
    <h2 class="section-title" id="account">Account</h2>
    <div class="panel">
      ${accessPart(frame, { user, mayEdit, left: dutyWords(duties) })}
      ${twoFactorPart(frame, user, mayEdit && (user.user_type !== 'admin' || admin.can('manage_roles')))}
      ${isStronger ? '' : rolePart(frame, { user, roles, grants, refused })}
      ${maySeeContacts(frame.actor) ? usePart(user) : ''}
    </div>
    ${
      isStronger && admin.can('edit_users')
        ? html`<p class="quiet mt-3">
          Their role allows more than yours, so a colleague with at least the same rights has to change this account.
        </p>`
        : ''
    }
    ${
      isOwn
        ? html`<p class="quiet mt-3">
          This is your own record. Your password and two-factor sign-in are on your
          <a class="link" href="/account">account page</a>.
        </p>`
        : ''
    }
  </section>`;
}

function part(title: string, text: HtmlValue, action: HtmlValue = null): Html {
  return html`<div class="account-part">
    <h3>${title}</h3>
    <p class="quiet">${text}</p>
    ${action}
  </div>`;
}

/** Describes the work that someone else would have to take over, to end a sentence with. Empty if there is no such work. */
function dutyWords(duties: Duties | undefined): string {
  const { open_cases = 0, open_chains = 0 } = duties ?? {};
  const parts = [
    open_cases === 0 ? '' : `the escrow specialist of ${dutyCount(open_cases, 'open case')}`,
    open_chains === 0 ? '' : `in charge of ${dutyCount(open_chains, 'open conversation')}`,
  ];
  return parts.filter(Boolean).join(' and ');
}

const dutyCount = (count: number, one: string) => (count >= DUTIES_MAX ? `${DUTIES_MAX} ${one}s or more` : counted(count, one));

function accessPart(frame: Frame, { user, mayEdit, left }: { user: UserRecord; mayEdit: boolean; left: string }): Html {
  const name = displayName(user);
  const path = `/users/${user.id}`;
  if (user.status === 'deactivated') {
    const again = confirmDialog(frame, {
      id: 'reactivate',
      button: 'Reactivate',
      title: `Reactivate ${name}?`,
      action: `${path}/reactivate`,
      text: 'They can sign in with their old password and get messages again.',
      yes: 'Reactivate',
      no: 'Cancel',
      isLoss: false,
    });
    const waits = left === '' ? '' : html` They’re still ${left}. Give that work to someone else.`;
    return part('Deactivated', html`They can’t sign in and get no messages from us.${waits}`, mayEdit ? again : '');
  }
  const out = confirmDialog(frame, {
    id: 'deactivate',
    button: 'Deactivate',
    title: `Deactivate ${name}?`,
    action: `${path}/deactivate`,
    text: `They’ll be signed out everywhere, can’t sign in, and won’t get messages from us. What they wrote and their cases stay.${left === '' ? '' : ` They’re ${left}, so someone else has to take over.`} You can undo this.`,
    yes: 'Deactivate',
    no: 'Cancel',
  });
  if (user.status === 'active') return part('Active', 'They can sign in.', mayEdit ? out : '');
  const resend = html`<form method="post" action="${path}/resend-invitation" data-busy-words="Sending…">
    ${csrfField(frame)}
    <button class="btn btn-sm btn-primary" type="submit">Send again</button>
  </form>`;
  return part('Invited', invitationWords(frame, user), mayEdit ? html`<div class="account-line">${resend}${out}</div>` : '');
}

function invitationWords(frame: Frame, { invited_at, invitation_expires_at: until }: UserRecord): Html {
  if (invited_at === null || until === null)
    return html`They haven’t chosen a password, and their link no longer works. Send the invitation again.`;
  const invitation = html`Invitation sent ${timeElement(invited_at, frame.clock)}.`;
  if (until <= frame.clock.now) return html`${invitation} The link has expired. Send it again.`;
  return html`${invitation} The link works until ${timeElement(until, frame.clock, dayHeading(until, frame.clock))}.`;
}

function twoFactorPart(frame: Frame<StaffActor>, user: UserRecord, mayReset: boolean): Html {
  if (!maySeeContacts(frame.actor)) return part('Two-factor sign-in', HIDDEN_PART);
  if (user.two_factor_method === null) return part('Two-factor sign-in', 'Off. They sign in with their password alone.');
  const reset = confirmDialog(frame, {
    id: 'reset-two-factor',
    button: 'Reset',
    title: `Reset ${displayName(user)}’s two-factor sign-in?`,
    text: 'Do this when someone has lost their phone. First make sure, by phone or in person, that it’s really them. They’ll sign in with their password alone, and we’ll tell them by email.',
    action: `/users/${user.id}/reset-two-factor`,
    yes: 'Reset two-factor',
    no: 'Cancel',
  });
  return part('Two-factor sign-in', `${twoFactorWords(user.two_factor_method)}.`, mayReset ? reset : '');
}

/** Changes the role, which is shown among the details. */
function rolePart(
  frame: Frame<StaffActor>,
  { user, roles, grants, ...shown }: Pick<Shown, 'user' | 'roles' | 'grants' | 'refused'>,
): Html {
  if (user.user_type !== 'admin' || !frame.actor.admin.can('manage_roles')) return html``;
  const action = `/users/${user.id}/role`;
  const refused = refusedAt(action, shown.refused);
  const { choices, chosen } = roleChoices(roles, refused, user.admin_role_id);
  const form = html`<form class="account-line" method="post" action="${action}">
    ${csrfField(frame)}
    <input type="hidden" name="version" value="${assignmentVersion(user.admin_role_id, grants)}">
    <label class="account-words">
      <span class="sr-only">Staff role</span>
      <select
        class="select select-sm"
        ${fieldAttributes({ name: 'admin_role_id' }, refused)}
      >
        <option value="">No role</option>
        ${options(choices, chosen)}
      </select>${fieldError('admin_role_id', refused)}
    </label>
    <button class="btn btn-sm" type="submit">Change role</button>
  </form>`;
  return part('Staff role', 'Their role decides what they can do. Changes work right away.', form);
}

function usePart({ devices, open_sessions }: UserRecord): Html {
  const pushes =
    devices === 0
      ? 'No devices get notifications'
      : `${counted(devices, 'device')} ${devices === 1 ? 'gets' : 'get'} notifications`;
  const here = open_sessions === 0 ? '' : ` Signed in to the staff application on ${counted(open_sessions, 'device')}.`;
  return part('Devices', `${pushes}.${here}`);
}
