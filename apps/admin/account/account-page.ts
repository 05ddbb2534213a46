import { type Html, html } from '@case-platform/lib/html';
import { displayName, type OpenSession, type SignInRecord, type TwoFactorMethod } from '@case-platform/modules/accounts';
import { counted } from '@case-platform/words/counts';
import { browserWords } from '@case-platform/words/devices';
import { formNotices } from '../form/fields.ts';
import { passwordField } from '../form/password-field.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { dataTable, numberHeading } from '../page/data-table.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { csrfField, roleOf, shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';
import { maskedPhone } from './masked.ts';

interface AccountView {
  profile: { email_address: string; phone: string | null; two_factor_method: TwoFactorMethod | null };
  sessions: OpenSession[];
  signIns: SignInRecord[];
  /** Words for the change that was just made. */
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** One's own account: how it is protected, and where it is used. */
export function accountPage(frame: Frame, view: AccountView): Html {
  const { profile, done, refused } = view;
  const content = html`<div class="page is-narrow">
    <header class="page-header">
      <h1 class="page-title">Account</h1>
      <p class="page-lead">${displayName(frame.actor.user)}, ${roleOf(frame.actor)}, ${profile.email_address}</p>
    </header>
    ${formNotices({ done, refused })}
    ${twoFactorSection(profile)}
    ${passwordSection(frame, view)}
    ${keyboardSection(frame)}
    ${sessionSection(frame, view.sessions)}
    ${signInSection(frame, view.signIns)}
  </div>`;
  return shellPage(frame, { title: 'Account', content });
}

function twoFactorSection({ two_factor_method: method, phone }: AccountView['profile']): Html {
  const how = {
    app: 'a code from your authenticator app',
    email: 'a code we email you',
    sms: `a code we text to ${maskedPhone(phone)}`,
  };
  const state = method === null ? html`<span class="state-pill">Off</span>` : html`<span class="state-pill is-active">On</span>`;
  const words =
    method === null
      ? 'We’ll also ask for a code after your password, so a stolen password isn’t enough to sign in.'
      : `You sign in with your password and ${how[method]}.`;
  return html`<section aria-labelledby="two-factor">
    <h2 class="section-title" id="two-factor">Two-factor sign-in ${state}</h2>
    <div class="panel padded account-line">
      <p class="account-words">${words}</p>
      <a class="btn ${method === null ? 'btn-primary' : ''}" href="/account/two-factor">
        ${method === null ? 'Turn on' : 'Turn off'}
      </a>
    </div>
  </section>`;
}

function passwordSection(frame: Frame, { profile, refused }: AccountView): Html {
  const min = profile.two_factor_method === null ? 12 : 8;
  const rules = `At least ${min} characters. Three or four unrelated words work well; common passwords aren’t accepted.`;
  const newPassword = {
    name: 'new_password',
    label: 'New password',
    autocomplete: 'new-password',
    hint: rules,
    minLength: min,
  } as const;
  return html`<section aria-labelledby="password">
    <h2 class="section-title" id="password">Password</h2>
    <form class="panel padded" method="post" action="/account/password" data-busy-words="Changing…">
      ${csrfField(frame)}
      <input type="hidden" name="username" value="${profile.email_address}" autocomplete="username">
      ${passwordField({ name: 'current_password', label: 'Current password', autocomplete: 'current-password' }, refused)}
      ${passwordField(newPassword, refused)}
      <p class="quiet mb-3">
        You’ll stay signed in here and be signed out of the staff application everywhere else. We’ll confirm it by email.
      </p>
      <div class="form-actions"><button class="btn btn-primary" type="submit">Change password</button></div>
    </form>
  </section>`;
}

function keyboardSection({ actor }: Frame): Html {
  if (actor.admin === null) return html``;
  return html`<section aria-labelledby="keyboard" hidden>
    <h2 class="section-title" id="keyboard">Keyboard</h2>
    <div class="panel padded">
      <label class="check-line">
        <input class="checkbox" type="checkbox" data-single-keys>
        <span>Use keyboard shortcuts in messages, such as j and k to move between conversations</span>
      </label>
      <p class="quiet mb-3">Turn this off if voice input triggers keys by mistake. Applies to this browser only.</p>
    </div>
  </section>`;
}

function sessionSection(frame: Frame, sessions: OpenSession[]): Html {
  const rows = sessions.map(
    ({ current, user_agent, ip_address, created_at, last_active_at }) => html`<li class="list-row is-plain">
      <span class="row-who">${browserWords(user_agent)}</span>
      <span class="row-when">${
        current
          ? html`<span class="state-pill is-active">This device</span>`
          : html`active ${timeElement(last_active_at, frame.clock)}`
      }</span>
      <span class="row-what quiet">
        ${ip_address === null ? '' : `${ip_address}, `}since ${timeElement(created_at, frame.clock)}
      </span>
    </li>`,
  );
  const others = sessions.filter(({ current }) => !current).length;
  const close = html`<form method="post" action="/account/sessions/close-others" class="mt-3">
    ${csrfField(frame)}
    <button class="btn" type="submit">${icon('log-out')}Sign out everywhere else</button>
  </form>`;
  const lead =
    others === 0 ? 'You’re signed in on this device only.' : `You’re signed in here and on ${counted(others, 'other device')}.`;
  return html`<section aria-labelledby="sessions">
    <h2 class="section-title" id="sessions">Where you are signed in</h2>
    <p class="quiet mb-3">${lead}</p>
    <ul class="row-list panel">${rows}</ul>
    ${others === 0 ? '' : close}
  </section>`;
}

function signInSection(frame: Frame, signIns: SignInRecord[]): Html {
  const rows = signIns.map(
    ({ layer, ip_address, user_agent, signed_in_at }) => html`<tr>
      <td data-label="Device" class="cell-wide">
        ${browserWords(user_agent)}
        <span class="cell-note">${layer === 'admin' ? 'Staff application' : 'Web or API'}</span>
      </td>
      <td data-label="IP address" class="mono wrap-anywhere">${ip_address ?? ''}</td>
      <td data-label="When" class="is-number">${timeElement(signed_in_at, frame.clock)}</td>
    </tr>`,
  );
  return html`<section aria-labelledby="sign-ins">
    <h2 class="section-title" id="sign-ins">Recent sign-ins</h2>
    <p class="quiet mb-3">If you don’t recognize one, change your password and turn on two-factor sign-in.</p>
    ${dataTable(['Device', 'IP address', numberHeading('When')], rows)}
  </section>`;
}
