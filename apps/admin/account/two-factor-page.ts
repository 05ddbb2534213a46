import { type Html, html } from '@case-platform/lib/html';
import type { PendingTwoFactor, TwoFactorMethod } from '@case-platform/modules/accounts';
import { backupCodeField, codeField, isBackupCode } from '../form/code-field.ts';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import { backLink } from '../page/back-link.ts';
import { copyButton } from '../page/copy-button.ts';
import type { Frame } from '../page/frame.ts';
import { type IconName, icon } from '../page/icons.ts';
import { notice } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { codeWhere, maskedEmail, maskedPhone } from './masked.ts';
import { qrCode } from './qr-code.ts';

interface TwoFactorView {
  profile: { email_address: string; phone: string | null; two_factor_method: TwoFactorMethod | null };
  /** The setup that was started and waits for its code. */
  pending: PendingTwoFactor | null;
  refused: RefusedForm | undefined;
}

/** Turning two-factor on or off, one step at a time. */
export function twoFactorPage(frame: Frame, view: TwoFactorView): Html {
  const isOn = view.profile.two_factor_method !== null;
  const content = html`<div class="page is-narrow">
    <header class="page-header">
      ${backLink('/account', 'Back to your account')}
      <h1 class="page-title">${isOn ? 'Turn off two-factor sign-in' : 'Turn on two-factor sign-in'}</h1>
    </header>
    ${formNotices(view)}
    ${isOn ? turningOff(frame, view) : turningOn(frame, view)}
  </div>`;
  return shellPage(frame, { title: 'Two-factor sign-in', content });
}

function turningOn(frame: Frame, { profile, pending, refused }: TwoFactorView): Html {
  if (pending === null) return methodChoice(frame, profile);
  const step = pending.setup === null ? html`<p>${codeWhere({ ...profile, ...pending })}</p>` : appSteps(pending.setup);
  const again = pending.setup === null ? resend(frame, pending.method) : '';
  return html`<div class="panel padded">
    ${step}
    <form method="post" action="/account/two-factor/confirm" data-busy-words="Turning on…">
      ${csrfField(frame)}
      ${codeField(refused)}
      <div class="form-actions">
        <button class="btn btn-primary" type="submit">Turn on</button>
        <a class="btn btn-ghost" href="/account/two-factor?choose=1">Choose another way</a>
      </div>
    </form>
    ${again}
  </div>`;
}

function appSteps({ secret, otpauth_url }: { secret: string; otpauth_url: string }): Html {
  const secretWords = secret.match(/.{1,4}/g)?.join(' ') ?? secret;
  return html`<ol class="setup-steps">
    <li>
      Scan this code with the authenticator app on your phone.
      ${qrCode(otpauth_url, 'QR code for your authenticator app')}
      <details class="more-ways">
        <summary>I can’t scan it</summary>
        <p>Enter this key in the app and choose “time-based”:</p>
        <p class="secret-line"><code class="mono" id="secret">${secretWords}</code>${copyButton('secret')}</p>
      </details>
    </li>
    <li>Then enter the six digits the app shows.</li>
  </ol>`;
}

function methodChoice(frame: Frame, { email_address, phone }: TwoFactorView['profile']): Html {
  const way = (method: TwoFactorMethod, mark: IconName, title: string, words: string, possible = true) => {
    const action = possible
      ? html`<button
        class="btn ${method === 'app' ? 'btn-primary' : ''}"
        type="submit"
        name="method"
        value="${method}"
        aria-label="Choose: ${title}"
      >
        Choose
      </button>`
      : '';
    return html`<li class="way">
      ${icon(mark)}
      <div>
        <p class="person-name">${title}</p>
        <p class="quiet">${words}</p>
      </div>
      ${action}
    </li>`;
  };
  return html`<form method="post" action="/account/two-factor">
    ${csrfField(frame)}
    <p class="mb-3">How would you like to get your sign-in codes?</p>
    <ul class="panel">
      ${way(
        'app',
        'smartphone',
        'Authenticator app',
        'The safest choice. Works without a network and comes with ten backup codes.',
      )}
      ${way('email', 'mail', 'Email', `We’ll send a code to ${maskedEmail(email_address)} each time you sign in.`)}
      ${
        phone === null
          ? way('sms', 'messages-square', 'Text message', 'Add a phone number to your record first.', false)
          : way('sms', 'messages-square', 'Text message', `We’ll text a code to ${maskedPhone(phone)} each time you sign in.`)
      }
    </ul>
  </form>`;
}

function turningOff(frame: Frame, { profile, pending, refused }: TwoFactorView): Html {
  const method = profile.two_factor_method;
  const lead = html`<p class="mb-3">
    You’ll then sign in with your password alone. If you just got a new phone, turn it back on right away.
  </p>`;
  if (method !== null && method !== 'app' && pending?.method !== method) {
    return html`${lead}
      <form class="panel padded" method="post" action="/account/two-factor">
        ${csrfField(frame)}
        <input type="hidden" name="method" value="${method}">
        <p>First, we’ll send you a code to make sure it’s you.</p>
        <div class="form-actions">
          <button class="btn btn-primary" type="submit">Send me a code</button>
          <a class="btn btn-ghost" href="/account">Cancel</a>
        </div>
      </form>`;
  }
  const isApp = method === 'app';
  const backup = html`<details class="more-ways" ${isBackupCode(refused) ? 'open' : ''}>
    <summary>I don’t have my phone</summary>
    <form method="post" action="/account/two-factor/off">
      ${csrfField(frame)}
      ${backupCodeField(refused)}
      <button class="btn" type="submit">Turn off with a backup code</button>
    </form>
  </details>`;
  return html`${lead}
    <div class="panel padded">
      <p>${codeWhere({ ...profile, method: method ?? 'app' })}</p>
      <form method="post" action="/account/two-factor/off" data-busy-words="Turning off…">
        ${csrfField(frame)}
        ${codeField(refused)}
        <div class="form-actions">
          <button class="btn btn-primary" type="submit">Turn off</button>
          <a class="btn btn-ghost" href="/account">Cancel</a>
        </div>
      </form>
      ${isApp ? backup : resend(frame, method ?? 'email')}
    </div>`;
}

function resend(frame: Frame, method: TwoFactorMethod): Html {
  return html`<form class="more-ways" method="post" action="/account/two-factor">
    ${csrfField(frame)}
    <input type="hidden" name="method" value="${method}">
    <p class="quiet">Didn’t get it? <button class="link" type="submit">Send another code</button></p>
  </form>`;
}

/** The ten codes for a lost phone. They are on this page and never shown again. */
export function backupCodesPage(frame: Frame, codes: readonly string[]): Html {
  const content = html`<div class="page is-narrow">
    <header class="page-header"><h1 class="page-title">Two-factor sign-in is on</h1></header>
    <div class="form-problem">
      ${notice(
        'waiting',
        'We show them only once. If you lose your phone, each code lets you sign in once.',
        'Save these ten backup codes in a safe place',
      )}
    </div>
    <div class="panel padded">
      <ol class="backup-codes mono" id="backup-codes">${codes.map((code) => html`<li>${code}</li>`)}</ol>
      <div class="form-actions">
        ${copyButton('backup-codes', { words: 'Copy all', look: 'btn' })}
        <a class="btn btn-primary" href="/account">I’ve saved them</a>
      </div>
    </div>
  </div>`;
  return shellPage(frame, { title: 'Backup codes', content });
}
