import { html } from '@case-platform/lib/html';
import { displayName, type UserRecord } from '@case-platform/modules/accounts';
import type { Frame } from '../frame.ts';
import type { StaffActor } from '../visitors.ts';
import { confirmDialog } from './confirm-dialog.ts';
import { csrfField } from './shell.ts';
import { timeElement } from './times.ts';
import { type Choice, options } from './user-list.ts';
import { twoFactorWords } from './user-words.ts';
import { counted } from './words.ts';

/** How an account stands, each part with what the reader may do about it. */
export function userActions(frame: Frame<StaffActor>, { user, roles }: { user: UserRecord; roles: Choice[] }): string {
  const { admin } = frame.actor;
  const isOwn = frame.actor.user.id === user.id;
  const mayEdit = admin.can('edit_users') && !isOwn;
  return html`<section aria-labelledby="account"><h2 class="section-title" id="account">Account</h2>
  <div class="panel account-parts">
    !${accessPart(frame, user, mayEdit)}
    !${twoFactorPart(frame, user, mayEdit && (user.user_type !== 'admin' || admin.can('manage_roles')))}
    !${rolePart(frame, user, roles)}
    !${usePart(user)}
  </div>
  !${isOwn ? '<p class="quiet account-after">This is your own record. Your password and two-factor sign-in are on your <a class="link" href="/account">account page</a>.</p>' : ''}
</section>`;
}

function part(title: string, text: string, action = ''): string {
  return html`<div class="account-part"><h3>${title}</h3><p class="quiet">!${text}</p>!${action}</div>`;
}

function accessPart(frame: Frame, user: UserRecord, mayEdit: boolean): string {
  const name = displayName(user);
  const path = `/users/${user.id}`;
  if (user.status === 'deactivated') {
    const again = confirmDialog(frame, {
      ...{ id: 'reactivate', button: 'Reactivate', title: `Reactivate ${name}?`, action: `${path}/reactivate` },
      text: 'They can sign in again with the password that they had, and messages reach them again.',
      ...{ yes: 'Reactivate', no: 'Leave it', isLoss: false },
    });
    return part('Deactivated', 'They cannot sign in, and nothing is sent to them.', mayEdit ? again : '');
  }
  const out = confirmDialog(frame, {
    ...{ id: 'deactivate', button: 'Deactivate', title: `Deactivate ${name}?`, action: `${path}/deactivate` },
    text: 'They are signed out everywhere at once and cannot sign in again, and nothing more is sent to them. What they wrote stays, and so do their cases. It can be undone.',
    ...{ yes: 'Deactivate', no: 'Keep the account' },
  });
  if (user.status === 'active') return part('Active', 'They can sign in.', mayEdit ? out : '');
  const resend = html`<form method="post" action="${path}/resend-invitation" data-busy-words="Sending…">!${csrfField(frame)}<button class="btn btn-sm btn-primary" type="submit">Send again</button></form>`;
  return part(
    'Waiting for them',
    invitationWords(frame, user),
    mayEdit ? html`<div class="account-line">!${resend}!${out}</div>` : '',
  );
}

function invitationWords(frame: Frame, { invited_at, invitation_expires_at: until }: UserRecord): string {
  if (invited_at === null || until === null)
    return 'They have not chosen a password. No link works now: send the invitation again.';
  const sent = html`The invitation was sent !${timeElement(invited_at, frame.clock)}.`;
  if (until <= frame.clock.now) return html`!${sent} Its link has expired: send it again.`;
  return html`!${sent} Its link works until !${timeElement(until, frame.clock)}.`;
}

function twoFactorPart(frame: Frame, user: UserRecord, mayReset: boolean): string {
  if (user.two_factor_method === null)
    return part('Two-factor sign-in', 'Off. Their password alone opens the account.');
  const reset = confirmDialog(frame, {
    ...{ id: 'reset-two-factor', button: 'Reset', title: `Reset two-factor of ${displayName(user)}?` },
    text: 'For someone who lost their phone. First make sure, by a call or in person, that it is really they who ask. Their password alone opens the account then, and we tell them by email.',
    ...{ action: `/users/${user.id}/reset-two-factor`, yes: 'Reset two-factor', no: 'Leave it on' },
  });
  return part('Two-factor sign-in', html`${twoFactorWords(user.two_factor_method)}.`, mayReset ? reset : '');
}

function rolePart(frame: Frame<StaffActor>, user: UserRecord, roles: Choice[]): string {
  if (user.user_type !== 'admin') return '';
  const words = user.role_name === null ? 'None: they can look, and change nothing.' : html`${user.role_name}.`;
  if (!frame.actor.admin.can('manage_roles')) return part('Staff role', words);
  const form = html`<form class="account-line" method="post" action="/users/${user.id}/role">!${csrfField(frame)}
  <label class="account-words"><span class="sr-only">Staff role</span><select class="select select-sm" name="admin_role_id"><option value="">No role</option>!${options(roles, user.admin_role_id)}</select></label>
  <button class="btn btn-sm" type="submit">Change role</button></form>`;
  return part('Staff role', words, form);
}

function usePart({ devices, open_sessions }: UserRecord): string {
  const pushes =
    devices === 0
      ? 'No device gets notifications'
      : `${counted(devices, 'device')} ${devices === 1 ? 'gets' : 'get'} notifications`;
  const here = open_sessions === 0 ? '' : ` Signed in here ${open_sessions === 1 ? 'once' : `${open_sessions} times`}.`;
  return part('In use', html`${pushes}.${here}`);
}
