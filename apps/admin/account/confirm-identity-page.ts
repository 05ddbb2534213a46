import { html } from '@case-platform/lib/html';
import type { TwoFactorMethod } from '@case-platform/modules/accounts';
import { backupCodeField, codeField } from '../form/code-field.ts';
import { passwordField } from '../form/password-field.ts';
import type { Frame } from '../page/frame.ts';
import { icon } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';

interface ConfirmIdentity {
  /** Where they were on the way to. */
  next: string;
  method: TwoFactorMethod | null;
  problem?: string | undefined;
}

/** Asks for the password, or a code of the app, before a change of what protects the account. */
export function confirmIdentityPage(frame: Frame, { next, method, problem }: ConfirmIdentity): string {
  const hidden = html`!${csrfField(frame)}<input type="hidden" name="next" value="${next}">`;
  const form = (inside: string, button: string) =>
    html`<form method="post" action="/account/confirm" data-busy-words="Checking…">!${hidden}!${inside}<div class="form-actions"><button class="btn btn-primary" type="submit">${button}</button></div></form>`;
  const codes = html`<details class="more-ways"><summary>Use a code instead</summary>!${form(codeField(), 'Continue with the code')}</details>
<details class="more-ways"><summary>I do not have my phone</summary>!${form(backupCodeField(), 'Continue with a backup code')}</details>`;
  const password = passwordField({ name: 'password', label: 'Your password', autocomplete: 'current-password' });
  const content = html`<div class="page is-narrow">
  <header class="page-header">
    <a class="btn btn-ghost btn-sm btn-square" href="/account" aria-label="Back to your account" title="Back to your account">!${icon('arrow-left')}</a>
    <h1 class="page-title">Confirm it’s you</h1>
    <p class="page-lead">You are about to change what protects your account. You are not asked again for ten minutes.</p>
  </header>
  !${problem === undefined ? '' : html`<div class="form-problem">!${notice('error', problem)}</div>`}
  <div class="panel account-panel">
    !${form(html`<input type="hidden" name="username" value="${frame.actor.user.email_address}" autocomplete="username">!${password}`, 'Continue')}
    !${method === 'app' ? codes : ''}
  </div>
</div>`;
  return shellPage(frame, { title: 'Confirm it’s you', content });
}
