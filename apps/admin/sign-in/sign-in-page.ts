import { type Html, html } from '@case-platform/lib/html';
import { counted } from '@case-platform/words/counts';
import { EMAIL_MAX, PASSWORD_MAX } from '@case-platform/words/limits';
import type { UserType } from '@case-platform/words/user-types';
import { USER_TYPES, userTypeInWords } from '@case-platform/words/user-types';
import type { RefusedForm } from '../form/refused-form.ts';
import { CSRF_FIELD } from '../guards/own-requests.ts';
import { htmlDocument } from '../page/document.ts';
import { brandLine, icon } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import type { Preferences } from '../page/preferences.ts';

interface SignIn {
  preferences: Preferences;
  next: string;
  userType: UserType;
  email?: string;
  csrfToken: string;
  /** The web frontend, where forgotten passwords are reset for every role. */
  webUrl: string;
  /** Why the reader was sent back here, if they were. */
  reason?: string | undefined;
  /** How long a session lasts without activity. */
  idleMinutes: number;
  refused?: RefusedForm;
}

/** The sign-in page. Several records may have the same email; the role says which one is meant. */
export function signInPage(form: SignIn): Html {
  const { preferences, next, userType, email = '', csrfToken, idleMinutes, webUrl, reason, refused } = form;
  const roles = USER_TYPES.map((type) => {
    const selected = type === userType ? 'selected' : '';
    return html`<option value="${type}" ${selected}>${userTypeInWords(type)}</option>`;
  });
  const focus = { email: email === '' ? 'autofocus' : '', password: email === '' ? '' : 'autofocus' };
  const body = html`<main class="sign-in" id="main">
    <p class="shell-brand">${brandLine()}</p>
    <div class="panel sign-in-panel">
      <h1 class="page-title">Sign in</h1>
      <p class="quiet">For escrow company staff.</p>
      ${refused === undefined ? '' : notice('error', refused.words)}
      ${refused !== undefined || reason === undefined ? '' : notice('waiting', reason)}
      <form method="post" action="/login" data-busy-words="Signing in…">
        <input type="hidden" name="${CSRF_FIELD}" value="${csrfToken}">
        <input type="hidden" name="next" value="${next}">
        <label class="field">
          <span class="field-label">Email</span>
          <input
            class="input"
            type="email"
            name="email"
            value="${email}"
            autocomplete="username"
            required
            maxlength="${EMAIL_MAX}"
            ${focus.email}
          >
        </label>
        <div class="field">
          <label class="field-label" for="password">Password</label>
          <span class="password-box">
            <input
              class="input"
              id="password"
              type="password"
              name="password"
              autocomplete="current-password"
              required
              maxlength="${PASSWORD_MAX}"
              ${focus.password}
            >
            <button type="button" class="btn btn-ghost btn-sm" data-show-password="password" aria-pressed="false" hidden>
              ${icon('eye')}
              <span>Show</span>
            </button>
          </span>
          <span class="field-hint"><a class="link" href="${webUrl}/password-reset">Forgot your password?</a></span>
        </div>
        <label class="field">
          <span class="field-label">I am</span>
          <select class="select" name="user_type">${roles}</select>
          <span class="field-hint">The same email address can be used in more than one role.</span>
        </label>
        <button class="btn btn-primary btn-block" type="submit">Sign in</button>
      </form>
    </div>
    <p class="quiet sign-in-foot">For your security, we sign you out after ${counted(idleMinutes, 'minute')} without activity.</p>
  </main>`;
  return htmlDocument({ title: 'Sign in', preferences, body });
}
