import { type Html, html } from '@case-platform/lib/html';
import type { PendingChallenge } from '@case-platform/modules/accounts';
import { codeWhere } from '../account/index.ts';
import { backupCodeField, codeField, isBackupCode } from '../form/code-field.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { CSRF_FIELD } from '../guards/own-requests.ts';
import { htmlDocument } from '../page/document.ts';
import { brandLine } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import type { Preferences } from '../page/preferences.ts';

interface SignInCode {
  preferences: Preferences;
  pending: PendingChallenge;
  next: string;
  csrfToken: string;
  /** Another code was just sent. */
  sentAgain?: boolean;
  refused?: RefusedForm;
}

/** The second step of signing in: the code, and what to do without one. */
export function signInCodePage({ preferences, pending, next, csrfToken, sentAgain, refused }: SignInCode): Html {
  const hiddenFields = html`<input type="hidden" name="${CSRF_FIELD}" value="${csrfToken}">
    <input type="hidden" name="next" value="${next}">`;
  const resendNotice = sentAgain ? notice('done', 'A new code is on its way. The old one no longer works.') : '';
  const body = html`<main class="sign-in" id="main">
    <p class="shell-brand">${brandLine()}</p>
    <div class="panel sign-in-panel">
      <h1 class="page-title">Enter your code</h1>
      <p class="quiet">${codeWhere(pending)}</p>
      ${refused === undefined ? resendNotice : notice('error', refused.words)}
      <form method="post" action="/login/otp" data-busy-words="Signing in…">
        ${hiddenFields}
        ${codeField(refused)}
        <button class="btn btn-primary btn-block" type="submit">Sign in</button>
      </form>
      ${pending.method === 'app' ? backupForm(hiddenFields, refused) : resendForm(hiddenFields)}
    </div>
    <p class="sign-in-foot"><a class="link" href="/login">Use another account</a></p>
  </main>`;
  return htmlDocument({ title: 'Enter your code', preferences, body });
}

function backupForm(hiddenFields: Html, refused: RefusedForm | undefined): Html {
  return html`<details class="more-ways" ${isBackupCode(refused) ? 'open' : ''}>
    <summary>I don’t have my phone</summary>
    <form method="post" action="/login/otp" data-busy-words="Signing in…">
      ${hiddenFields}
      ${backupCodeField(refused)}
      <button class="btn btn-block" type="submit">Sign in with a backup code</button>
    </form>
  </details>`;
}

function resendForm(hiddenFields: Html): Html {
  return html`<form class="more-ways" method="post" action="/login/otp/resend">
    ${hiddenFields}
    <p class="quiet">Didn’t get it after a minute? <button class="link" type="submit">Send another code</button></p>
  </form>`;
}
