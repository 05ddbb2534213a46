import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createElement } from 'react';
import type { EventPreference } from '../api/api-shapes.ts';
import { showPage } from '../test-page/shown-page.ts';
import { startBrowser } from '../test-page/test-browser.ts';

const browser = startBrowser();
const { AddressChange } = await import('./address-change.tsx');
const { AddressForm } = await import('./address-form.tsx');
const { BackupCodes } = await import('./backup-codes.tsx');
const { PasswordChange } = await import('./password-change.tsx');
const { PasswordForm } = await import('./password-form.tsx');
const { TwoFactorPanel } = await import('./two-factor-panel.tsx');
const { NotificationPreferences } = await import('./notification-preferences.tsx');
const { ThemeChoice } = await import('./theme-choice.tsx');
const { TimeZoneChoice } = await import('./time-zone-choice.tsx');
const { SignOutButton } = await import('./sign-out-button.tsx');

const LOST = 'We can’t reach our servers right now, so we don’t know whether that was saved. Reload the page to see.';
const rejection = (status: number, code: string, errors: object[] = []) => ({
  status,
  body: { code, message: 'Words.', errors },
});

test('[ADDRESS-1] another address is checked, sent without spaces, and its errors are at the field', async () => {
  const requested: string[] = [];
  const onRequested = (address: string) => requested.push(address);
  const page = await showPage(browser, createElement(AddressForm, { email: 'a@x.test', onRequested, onClose() {} }));
  await page.type('New email address', 'b');
  assert.deepEqual(page.problems, [], 'nothing is wrong before the form is sent');
  for (const [typed, problem] of [
    ['', 'Enter the new email address.'],
    [' A@X.test ', 'This is already your email address.'],
    ['b', 'Enter a full email address, like name@example.com.'],
  ] as const) {
    await page.type('New email address', typed);
    await page.press('Send link');
    assert.deepEqual(page.problems, [problem]);
    assert.equal(document.activeElement?.id, page.field('New email address').id);
  }
  assert.deepEqual(browser.calls, []);
  browser.answers.set('POST /api/user/me/email', rejection(422, 'invalid', [{ field: 'email_address', message: 'x' }]));
  await page.type('New email address', ' b@x.test ');
  await page.press('Send link');
  assert.deepEqual(page.problems, ['Enter a full email address, like name@example.com.']);
  browser.answers.set('POST /api/user/me/email', 503);
  await page.press('Send link');
  assert.deepEqual([page.problems, requested], [[LOST], []]);
  browser.answers.set('POST /api/user/me/email', 202);
  await page.press('Send link');
  assert.deepEqual(requested, ['b@x.test']);
  assert.equal(browser.changes.at(-1), 'POST /api/user/me/email {"email_address":"b@x.test"}');
});

for (const waiting of [null, 'old@x.test'])
  test(`[ADDRESS-1] the page names the last requested address, when ${waiting ?? 'none'} was waiting before`, async () => {
    const page = await showPage(browser, createElement(AddressChange, { email: 'a@x.test', waiting }));
    browser.answers.set('POST /api/user/me/email', 202);
    const named = () => [...page.text.matchAll(/Check the inbox of (\S+@x\.test)/g)].map(([, address]) => address);
    assert.deepEqual(named(), waiting === null ? [] : [waiting]);
    for (const address of ['b@x.test', 'c@x.test']) {
      await page.press('Change email address');
      await page.type('New email address', address);
      await page.press('Send link');
      assert.deepEqual(named(), [address]);
    }
  });

test('[IDENTITY-2] a new password is sent with the current one, and a wrong current one is named at its field', async () => {
  let changed = 0;
  const onChanged = () => (changed += 1);
  const page = await showPage(browser, createElement(PasswordForm, { email: 'a@x.test', minimum: 10, onChanged, onClose() {} }));
  const fill = async (current: string, next: string) => {
    await page.type('Current password', current);
    await page.type('New password', next);
    await page.press('Save new password');
  };
  await fill('', '');
  assert.deepEqual(page.problems, ['Enter your current password.', 'Enter a new password.']);
  assert.equal(document.activeElement?.id, page.field('Current password').id);
  await fill('old', '123456789');
  assert.deepEqual([page.problems, browser.changes], [['A password needs at least 10 characters.'], []]);
  const path = 'POST /api/user/me/password';
  for (const [answer, label, problems] of [
    [rejection(401, 'wrong_password'), 'Current password', ['That’s not your current password.']],
    [rejection(422, 'invalid', [{ field: 'new_pass_hash', message: 'Too common.' }]), 'New password', ['Too common.']],
    [{ ...rejection(429, 'rate_limited'), headers: { 'retry-after': '120' } }, '', [/wait 2 minutes/]],
    [rejection(409, 'conflict'), '', ['Words.']],
    ['drop' as const, '', [LOST]],
  ] as const) {
    browser.answers.set(path, answer);
    await fill('old', '1234567890');
    assert.equal(page.problems.length, 1);
    assert.match(page.problems[0] ?? '', new RegExp(problems[0]));
    for (const one of ['Current password', 'New password'])
      assert.equal(page.field(one).getAttribute('aria-invalid'), String(one === label), `${one}: ${problems[0]}`);
    assert.equal(changed, 0);
  }
  browser.answers.set(path, 200);
  await fill('old', '1234567890');
  assert.equal(changed, 1);
  assert.equal(browser.changes.at(-1), `${path} {"pass_hash":"old","new_pass_hash":"1234567890"}`);
});

test('[IDENTITY-2] a changed password is confirmed until the person begins to change it again', async () => {
  const page = await showPage(browser, createElement(PasswordChange, { email: 'a@x.test', minimum: 10 }));
  const isConfirmed = () => page.status.some((one) => one.startsWith('Your password is changed.'));
  browser.answers.set('POST /api/user/me/password', 200);
  for (const _ of [1, 2]) {
    await page.press('Change password');
    await page.until('the form', () => page.has('Save new password'));
    assert.equal(isConfirmed(), false);
    await page.type('Current password', 'old');
    await page.type('New password', '1234567890');
    for (const [name, type] of [
      ['Hide', 'text'],
      ['Show', 'password'],
    ] as const) {
      await page.press('Show new password');
      const button = page.button('Show new password');
      assert.deepEqual([page.field('New password').type, button.getAttribute('title')], [type, `${name} new password`]);
    }
    await page.press('Save new password');
    assert.deepEqual([isConfirmed(), page.has('Change password')], [true, true]);
  }
});

test('a form is sent once when its button is pressed twice before the answer', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  browser.answers.set('POST /api/user/me/email', () => promise);
  const page = await showPage(browser, createElement(AddressForm, { email: 'a@x.test', onRequested() {}, onClose() {} }));
  await page.type('New email address', 'b@x.test');
  const [form] = page.elements(({ tagName }) => tagName === 'FORM');
  assert.ok(form);
  assert.equal(await page.fire(form, 'submit'), true);
  await page.fire(form, 'submit');
  assert.equal(browser.changes.length, 1);
  assert.ok(page.button('Sending…').hasAttribute('disabled'));
  await page.settle(() => resolve(503));
  await page.press('Send link');
  assert.equal(browser.changes.length, 2, 'after a failure it can be sent again');
});

const methods = (page: Awaited<ReturnType<typeof showPage>>, method: string) => {
  const [button] = page.elements((one) => one.getAttribute('aria-describedby') === `method-${method}`);
  assert.ok(button);
  return button;
};
const PROFILE = 'GET /api/user/me';

test('[TWO-FACTOR-14, TWO-FACTOR-8] each method is turned on with its code, and only the app shows backup codes', async () => {
  browser.answers.set('POST /api/user/me/two-factor', ({ body }) =>
    (body as { method: string }).method === 'app'
      ? { status: 200, body: { secret: 'ABCDEFGH', otpauth_url: 'otpauth://x' } }
      : { status: 202 },
  );
  for (const [method, codes, words] of [
    ['email', [], 'Two-factor sign-in is on.'],
    ['sms', [], 'Two-factor sign-in is on.'],
    ['app', ['11111-22222'], '11111-22222'],
  ] as const) {
    browser.forget();
    const page = await showPage(browser, createElement(TwoFactorPanel, { method: null, email: 'a@x.test', phone: '+1' }));
    for (const words of ['Codes go to a@x.test.', 'Codes go to +1.']) assert.ok(page.text.includes(words));
    await page.fire(methods(page, method), 'click');
    await page.until('the code is asked for', () => page.text.includes('Six-digit code'));
    assert.deepEqual(browser.changes, [`POST /api/user/me/two-factor {"method":"${method}"}`]);
    assert.equal(page.text.includes('We sent them to'), method !== 'app');
    if (method !== 'app') assert.ok(page.text.includes(method === 'sms' ? 'sent them to +1' : 'sent them to a@x.test'));
    browser.answers.set('POST /api/user/me/two-factor/confirm', rejection(401, 'wrong_code'));
    await page.type('Six-digit code', '000000');
    assert.match(page.problems[0] ?? '', /^That code isn’t right/);
    assert.equal(page.field('Six-digit code').getAttribute('aria-invalid'), 'true');
    assert.equal(page.field('Six-digit code').value, '');
    browser.answers.set('POST /api/user/me/two-factor/confirm', { status: 200, body: { method, backup_codes: codes } });
    await page.type('Six-digit code', '123456');
    assert.equal(browser.changes.at(-1), 'POST /api/user/me/two-factor/confirm {"code":"123456"}');
    await page.until('it is on', () => page.text.includes(words));
    assert.deepEqual(page.problems, []);
    if (method === 'app') await page.press('I’ve saved them');
    assert.deepEqual([page.status, browser.opened], [['Two-factor sign-in is on.'], ['refresh']]);
    await page.close();
  }
});

test('[TWO-FACTOR-8] backup codes are downloaded with the name of the site, and copied, one in each line', async (t) => {
  const files: Blob[] = [];
  const downloads: string[] = [];
  t.mock.method(URL, 'createObjectURL', (file: Blob) => `blob:${files.push(file)}`);
  const { mock: revoking } = t.mock.method(URL, 'revokeObjectURL', () => {});
  t.mock.method(browser.window.HTMLAnchorElement.prototype, 'click', function (this: HTMLAnchorElement) {
    downloads.push(`${this.download} from ${this.href}`);
  });
  let saved = 0;
  const codes = ['11111-22222', '33333-44444'];
  const page = await showPage(browser, createElement(BackupCodes, { codes, onSaved: () => (saved += 1) }));
  await page.press('Download');
  assert.deepEqual(downloads, ['backup-codes.txt from blob:1']);
  const words = 'Backup codes for cases.test. Each signs you in once.\n\n11111-22222\n33333-44444\n';
  assert.deepEqual([files[0]?.type, await files[0]?.text()], ['text/plain', words]);
  assert.deepEqual(revoking.calls[0]?.arguments, ['blob:1']);
  const copied: string[] = [];
  const writeText = async (text: string) => void copied.push(text);
  Object.assign(navigator, { clipboard: { writeText } });
  await page.press('Copy');
  assert.deepEqual(copied, ['11111-22222\n33333-44444\n']);
  assert.equal(saved, 0, 'neither is a confirmation');
  await page.press('I’ve saved them');
  assert.equal(saved, 1);
});

test('[TWO-FACTOR-10] a lost answer is looked up in the profile, and everything else is an error', async () => {
  for (const [answer, method, words] of [
    ['drop', 'email', 'Two-factor sign-in is on.'],
    [502, 'app', 'your backup codes got lost on the way'],
    ['drop', null, 'we don’t know whether that was saved'],
    [409, 'email', 'The platform answered with status 409.'],
  ] as const) {
    browser.answers.set(PROFILE, { status: 200, body: { two_factor_method: method } });
    browser.answers.set('POST /api/user/me/two-factor/confirm', answer === 409 ? { status: 409, body: null } : answer);
    const page = await showPage(browser, createElement(TwoFactorPanel, { method: null, email: 'a@x.test', phone: null }));
    assert.ok(page.has('Add number'), 'a text message needs a phone number');
    await page.fire(methods(page, 'email'), 'click');
    await page.until('the code is asked for', () => page.text.includes('Six-digit code'));
    await page.type('Six-digit code', '123456');
    assert.ok(page.text.includes(words), page.text);
    await page.close();
  }
});

test('[TWO-FACTOR-10] two-factor is turned off with a code, which only email and text message send first', async () => {
  for (const method of ['app', 'email', 'sms'] as const) {
    browser.forget();
    const page = await showPage(browser, createElement(TwoFactorPanel, { method, email: 'a@x.test', phone: '+1' }));
    await page.press('Turn off');
    await page.until('the code is asked for', () => page.text.includes('Six-digit code'));
    assert.deepEqual(browser.changes, method === 'app' ? [] : [`POST /api/user/me/two-factor {"method":"${method}"}`]);
    assert.deepEqual(
      [page.has('Use a backup code'), page.text.includes('New code in 60 s')],
      [method === 'app', method !== 'app'],
    );
    if (method === 'app') {
      await page.press('Use a backup code');
      await page.type('Backup code', ' k3m9p x7w2q ');
      await page.press('Turn off');
      assert.equal(browser.changes.at(-1), 'DELETE /api/user/me/two-factor {"backup_code":"k3m9p x7w2q"}');
    } else {
      browser.answers.set('DELETE /api/user/me/two-factor', 503);
      browser.answers.set(PROFILE, { status: 200, body: { two_factor_method: method === 'sms' ? null : method } });
      await page.type('Six-digit code', '123456');
      assert.equal(browser.changes.at(-1), 'DELETE /api/user/me/two-factor {"code":"123456"}');
    }
    const isOff = method !== 'email';
    assert.deepEqual([page.status, page.problems], isOff ? [['Two-factor sign-in is off.'], []] : [[''].slice(1), [LOST]]);
    assert.equal(page.text.includes('Two-factor sign-inOff'), isOff);
    browser.answers.clear();
    await page.close();
  }
});

test('[TWO-FACTOR-7] another code can be requested after a minute, and after the wait that the API names', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  try {
    const page = await showPage(browser, createElement(TwoFactorPanel, { method: 'email', email: 'a@x.test', phone: null }));
    await page.press('Turn off');
    await page.until('the code is asked for', () => page.has('New code in 60 s'));
    await page.settle(() => mock.timers.tick(59_000));
    assert.ok(page.button('New code in 1 s').hasAttribute('disabled'));
    await page.settle(() => mock.timers.tick(1_000));
    const path = 'POST /api/user/me/two-factor';
    browser.answers.set(path, { ...rejection(429, 'rate_limited'), headers: { 'retry-after': '25' } });
    await page.press('Send a new code');
    assert.ok(page.has('New code in 25 s'));
    assert.match(page.problems[0] ?? '', /^Too many attempts/);
    await page.settle(() => mock.timers.tick(25_000));
    browser.answers.set(path, 503);
    await page.press('Send a new code');
    assert.deepEqual(
      [page.has('Send a new code'), page.status.includes('We sent a new code. The one before no longer works.')],
      [true, false],
    );
    browser.answers.set(path, 202);
    await page.press('Send a new code');
    assert.ok(page.has('New code in 60 s'));
    assert.ok(page.status.includes('We sent a new code. The one before no longer works.'));
    assert.deepEqual(page.problems, []);
  } finally {
    mock.timers.reset();
  }
});

test('[NOTIFY-5] choices are saved one after another, and one that is not saved is shown as before', async () => {
  const choice = { channel: 'push', enabled: true, can_change: true } as const;
  const always = { channel: 'email', enabled: true, can_change: false } as const;
  const initial = ['Messages', 'Payments'].map((title) => ({
    event: title,
    title,
    channels: [always, choice],
  })) as EventPreference[];
  const first = Promise.withResolvers<number>();
  const path = 'PUT /api/notifications/preferences';
  browser.answers.set(path, () => first.promise);
  const page = await showPage(browser, createElement(NotificationPreferences, { initial }));
  const box = (title: string) => page.field(`${title}, on your devices`);
  assert.equal(page.elements(({ tagName }) => tagName === 'INPUT').length, 2, 'what is always sent has no box');
  await page.check('Messages, on your devices');
  await page.check('Payments, on your devices');
  assert.deepEqual([box('Messages').checked, box('Payments').checked], [false, false], 'both are shown at once');
  assert.equal(browser.changes.length, 1, 'the second choice waits for the first');
  browser.answers.set(path, { status: 422, body: { message: 'No.' } });
  await page.settle(() => first.resolve(200));
  await page.settle();
  const sent = (event: string) => `${path} {"preferences":[{"event":"${event}","channel":"push","enabled":false}]}`;
  assert.deepEqual(browser.changes, [sent('Messages'), sent('Payments')]);
  assert.deepEqual([box('Messages').checked, box('Payments').checked], [false, true]);
  assert.deepEqual(page.status.slice(0, 1), ['Messages, on your devices: off. Saved.']);
  assert.match(page.problems.join(), /Nothing has changed\. Try again\. No\./);
  browser.answers.set(path, 'drop');
  await page.check('Payments, on your devices');
  assert.match(page.problems.join(), new RegExp(LOST));
  browser.answers.set(path, 200);
  await page.check('Payments, on your devices');
  assert.deepEqual([page.problems, page.status[0]], [[], 'Payments, on your devices: off. Saved.']);
});

test('the appearance is stored on this device, and the device’s own is not stored', async () => {
  const page = await showPage(browser, createElement(ThemeChoice, { initial: 'system' }));
  const { dataset } = document.documentElement;
  for (const [choice, theme] of [
    ['Dark', 'dark'],
    ['Light', 'light'],
    ['Same as this device', undefined],
  ] as const) {
    await page.check(choice);
    assert.equal(dataset.theme, theme);
    const year = 'Max-Age=31536000; Path=/; Secure; SameSite=Lax';
    assert.deepEqual(browser.cookies, theme === undefined ? [] : [`__Host-case-theme=${theme}; ${year}`]);
    assert.equal(page.field(choice).checked, true);
  }
});

test('a time zone is chosen from the list or by a part of its name that fits only one, once, and for staff too', async () => {
  const zones = ['America/Chicago', 'America/New_York', 'Europe/Paris'];
  const page = await showPage(browser, createElement(TimeZoneChoice, { zones, chosen: null }));
  await page.type('Time zone', 'Chicago');
  assert.deepEqual(browser.changes, [], 'while it is typed nothing is sent');
  await page.fire(page.field('Time zone'), 'keydown', { key: 'x' });
  assert.deepEqual(browser.changes, []);
  await page.fire(page.field('Time zone'), 'keydown', { key: 'Enter' });
  await page.leave('Time zone');
  assert.deepEqual(browser.changes, ['PATCH /api/user/me {"timezone":"America/Chicago"}']);
  assert.deepEqual(browser.opened, ['refresh']);
  assert.ok(browser.cookies.some((one) => one.startsWith('__Host-case-zone=America%2FChicago;')));
  const shown = page.field('Time zone').value;
  assert.match(shown, /Chicago/);
  const chosen = () => browser.cookies.find((one) => one.startsWith('__Host-case-chosen-zone='))?.split(';')[0];
  assert.equal(chosen(), '__Host-case-chosen-zone=America%2FChicago');
  const listed = page.elements(({ tagName }) => tagName === 'OPTION').map((one) => one.getAttribute('value') ?? '');
  await page.type('Time zone', listed[2] ?? '');
  assert.equal(browser.changes.pop(), 'PATCH /api/user/me {"timezone":"Europe/Paris"}', 'one from the list is chosen at once');
  browser.forget();
  await page.type('Time zone', shown);
  await page.type('Time zone', 'a');
  await page.leave('Time zone');
  assert.deepEqual([page.problems.length, browser.changes.length], [1, 1], 'several zones fit');
  browser.answers.set('PATCH /api/user/me', 503);
  await page.type('Time zone', '');
  await page.leave('Time zone');
  assert.match(page.problems[0] ?? '', /^This device uses that time zone, but our staff may not see it yet/);
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  assert.equal(browser.changes.at(-1), `PATCH /api/user/me {"timezone":"${timeZone}"}`);
  assert.equal(chosen(), undefined, 'from now on times follow the device');
});

const OUT = ['GET /health/live', 'POST /api/auth/signout'];
const signingOut = () => browser.calls.map(({ method, path }) => `${method} ${path}`).filter((call) => OUT.includes(call));

test('[PAGE-6] signing out deletes unsent work after a warning, and only once the session has ended', async () => {
  const page = await showPage(browser, createElement(SignOutButton, { userId: 1 }));
  const key = 'case-platform.draft.1.3';
  browser.local.setItem(key, 'Hello');
  browser.local.setItem('case-platform.draft.1.request-new-1-any', '{}');
  browser.answers.set('GET /api/auth/csrf', { status: 200, body: { csrfToken: 'x' } });
  const ended = { status: 200, body: { url: 'https://cases.test/login' } };
  for (const [live, signOut, calls] of [
    [503, ended, OUT.slice(0, 1)],
    ['drop', ended, OUT.slice(0, 1)],
    [200, 'drop', OUT],
    [200, { status: 200, body: { url: 'https://cases.test/other' } }, OUT],
  ] as const) {
    browser.forget();
    browser.answers.set('GET /health/live', live);
    browser.answers.set('POST /api/auth/signout', signOut);
    await page.press('Sign out');
    assert.ok(page.text.includes('This browser still has 1 unsent message and 1 unfinished request.'));
    assert.deepEqual(browser.calls, [], 'nothing happens before the confirmation');
    await page.press('Sign out and delete');
    await page.until('the failure is shown', () => page.text.includes('You’re still signed in'));
    assert.deepEqual([signingOut(), browser.local.getItem(key), browser.opened], [calls, 'Hello', []]);
    assert.equal(page.text.includes('This browser still has'), false);
  }
  browser.answers.set('POST /api/auth/signout', ended);
  sessionStorage.setItem('case-platform.visit', 'v');
  await page.press('Sign out');
  await page.press('Sign out and delete');
  await page.until('the page is left', () => browser.opened.length > 0);
  assert.deepEqual([browser.opened, browser.local.getItem(key)], [['assign /login'], null]);
  assert.equal(sessionStorage.getItem('case-platform.visit'), null, 'the next person has another visit');
  assert.ok(page.button('Signing out…').hasAttribute('disabled'));
});
