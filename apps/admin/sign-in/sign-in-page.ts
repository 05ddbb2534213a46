import { type Html, html } from '@case-platform/lib/html';
import { counted } from '@case-platform/words/counts';
import { EMAIL_MAX, PASSWORD_MAX } from '@case-platform/words/limits';
import type { DemoPerson } from '@case-platform/words/sign-in/demo-people';
import { asUserType, USER_TYPES, type UserType, userTypeInWords } from '@case-platform/words/user-types';
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
  demoPeople: readonly DemoPerson[];
}

/** The sign-in page. Several records may have the same email; the role says which one is meant. */
export function signInPage(form: SignIn): Html {
  const { preferences, csrfToken, next, idleMinutes, webUrl, demoPeople } = form;
  const hiddenFields = html`<input type="hidden" name="${CSRF_FIELD}" value="${csrfToken}">
    <input type="hidden" name="next" value="${next}">`;
  const body = html`<main class="sign-in" id="main">
    <p class="shell-brand">${brandLine()}</p>
    <div class="panel sign-in-panel">${passwordForm(form, hiddenFields)}</div>
    ${demoPeople.length === 0 ? '' : demoList(demoPeople, hiddenFields)}
    <p class="sign-in-foot">
      Not staff? <a class="link" href="${webUrl}/login">Go to your cases and messages</a>
      <br>For your security, we sign you out after ${counted(idleMinutes, 'minute')} without activity.
    </p>
  </main>`;
  return htmlDocument({ title: 'Sign in', preferences, body });
}

function passwordForm({ userType, email = '', webUrl, reason, refused }: SignIn, hiddenFields: Html): Html {
  const roles = USER_TYPES.map((type) => {
    const selected = type === userType ? 'selected' : '';
    return html`<option value="${type}" ${selected}>${userTypeInWords(type)}</option>`;
  });
  const focus = { email: email === '' ? 'autofocus' : '', password: email === '' ? '' : 'autofocus' };
  return html`<h1 class="page-title">Sign in</h1>
    <p class="quiet">For escrow company staff.</p>
    ${refused === undefined ? '' : problem(refused, userType)}
    ${refused !== undefined || reason === undefined ? '' : notice('waiting', reason)}
    <form method="post" action="/login" data-busy-words="Signing in…">
      ${hiddenFields}
      <label class="field">
        <span class="field-label">I am</span>
        <select class="select" name="user_type">${roles}</select>
      </label>
      <label class="field">
        <span class="field-label">Email address</span>
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
      </div>
      <button class="btn btn-primary btn-block mt-2" type="submit">Sign in</button>
      <p class="mt-4 text-center text-small">
        <a class="link" href="${webUrl}/password-reset?role=admin">Forgot your password?</a>
      </p>
    </form>`;
}

/** A failed sign-in names the role, because that is what people overlook (SIGN-IN-14). */
function problem({ status, words }: RefusedForm, userType: UserType): Html {
  if (status !== 401) return notice('error', words);
  const text = 'The email address and password don’t match this role. Check all three.';
  return notice('error', text, `We couldn’t sign you in ${asUserType(userType)}`);
}

/** The people of the demo, each with one sentence (DEMO-4). */
function demoList(people: readonly DemoPerson[], hiddenFields: Html): Html {
  const items = people.map(
    ({ name, email_address, user_type, password, role, sentence }) =>
      html`<li>
        <form method="post" action="/login">
          ${hiddenFields}
          <input type="hidden" name="email" value="${email_address}">
          <input type="hidden" name="password" value="${password}">
          <input type="hidden" name="user_type" value="${user_type}">
          <button class="list-row demo-person" type="submit">
            <span class="row-who">${name}</span>
            <span class="row-when">${role}</span>
            <span class="row-what">${sentence}</span>
          </button>
        </form>
      </li>`,
  );
  return html`<section class="demo-people" aria-labelledby="demo-people">
    <h2 id="demo-people" class="section-title">Look around as</h2>
    <p>Everything here is invented. Choose a person to see the platform with their eyes.</p>
    <ul class="panel row-list">${items}</ul>
  </section>`;
}
