import { type Html, html } from '@case-platform/lib/html';
import type { TwoFactorMethod } from '@case-platform/modules/accounts';
import { backupCodeField, codeField, isBackupCode } from '../form/code-field.ts';
import { formNotices } from '../form/fields.ts';
import { passwordField } from '../form/password-field.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { csrfField, shellPage } from '../page/shell.ts';

interface ConfirmIdentity {
  /** The page that they were on their way to. */
  next: string;
  method: TwoFactorMethod | null;
  refused?: RefusedForm | undefined;
}

/** Asks for the password, or a code from the app, before a change to what protects the account. */
export function confirmIdentityPage(frame: Frame, { next, method, refused }: ConfirmIdentity): Html {
  const hiddenFields = html`${csrfField(frame)}<input type="hidden" name="next" value="${next}">`;
  const form = (inside: Html, button: string) =>
    html`<form method="post" action="/account/confirm" data-busy-words="Checking…">
      ${hiddenFields}
      ${inside}
      <div class="form-actions"><button class="btn btn-primary" type="submit">${button}</button></div>
    </form>`;
  const isCode = refused?.values.code !== undefined;
  const isBackup = isBackupCode(refused);
  const codes = html`<details class="more-ways" ${isCode && !isBackup ? 'open' : ''}>
      <summary>Use a code instead</summary>
      ${form(codeField(refused), 'Continue with the code')}
    </details>
    <details class="more-ways" ${isBackup ? 'open' : ''}>
      <summary>I don’t have my phone</summary>
      ${form(backupCodeField(refused), 'Continue with a backup code')}
    </details>`;
  const password = passwordField({ name: 'password', label: 'Your password', autocomplete: 'current-password' }, refused);
  const content = html`<div class="page is-narrow">
    <header class="page-header">
      ${backLink('/account', 'Back to your account')}
      <h1 class="page-title">Confirm it’s you</h1>
      <p class="page-lead">This change affects who can sign in, or where money goes. We won’t ask again for ten minutes.</p>
    </header>
    ${formNotices({ refused })}
    <div class="panel padded">
      ${form(
        html`<input type="hidden" name="username" value="${frame.actor.user.email_address}" autocomplete="username"> ${password}`,
        'Continue',
      )}
      ${method === 'app' ? codes : ''}
    </div>
  </div>`;
  return shellPage(frame, { title: 'Confirm it’s you', content });
}
