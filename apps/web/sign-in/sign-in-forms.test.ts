import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createElement } from 'react';
import type { IdentityProof } from '../api/confirm-identity.ts';
import { type ShownPage, showPage } from '../test-page/shown-page.ts';
import { startBrowser } from '../test-page/test-browser.ts';

const browser = startBrowser();
const { LoginFlow } = await import('./login-flow.tsx');
const { ResetConfirmForm } = await import('./reset-confirm-form.tsx');
const { ResetRequestForm } = await import('./reset-request-form.tsx');
const { AddressConfirmForm } = await import('./address-confirm-form.tsx');
const { IdentityQuestion } = await import('./identity-question.tsx');
const { IdentityDialog } = await import('./identity-dialog.tsx');
const { apiBrowser } = await import('../api/api-browser.ts');

const { location } = globalThis;
const MAILED = '#token=secret';
const SIGN_IN = 'POST /api/auth/callback/credentials';
/** The answer of next-auth to one step: an address with the problem, or a success. With `csrf` it rejects its own token. */
const step = (problem: string | null) => ({
  status: problem === null ? 200 : 401,
  body: { url: `https://cases.test${problem === 'csrf' ? '/api/auth/signin?csrf=true' : `/login${queryOf(problem)}`}` },
});
const queryOf = (problem: string | null) => (problem === null ? '' : `?error=${encodeURIComponent(problem)}`);
const sentFields = () =>
  browser.calls.filter(({ path }) => path.startsWith('/api/auth/callback')).map(({ body }) => body as Record<string, string>);

async function showLogin(more: object = {}): Promise<ShownPage> {
  browser.answers.set('GET /api/auth/providers', { status: 200, body: { credentials: { type: 'credentials' } } });
  browser.answers.set('GET /api/auth/csrf', { status: 200, body: { csrfToken: 'x' } });
  const props = { back: '/cases/3', role: 'surrogate' as const, challenge: null, demoPeople: [], children: null, ...more };
  return showPage(browser, createElement(LoginFlow, props));
}

async function signIn(page: ShownPage, answer: string | null): Promise<void> {
  browser.answers.set(SIGN_IN, step(answer));
  await page.type('Email address', 'a@x.test');
  await page.type('Password', 'secret');
  browser.removeCookies();
  await page.press('Sign in');
  await page.settle();
}

test('[WEB-15, SIGN-IN-14] each answer to a password leads to its words, and only a right password stores the role', async () => {
  for (const [answer, words, storesRole, opened] of [
    [null, '', true, ['assign /cases/3']],
    ['wrong', 'couldn’t sign you in as a surrogate', false, []],
    ['invalid', 'Something is missing', false, []],
    ['throttled:120', 'wait 2 minutes', false, []],
    ['unfamiliar', 'signing in from a new place', false, []],
    ['unavailable', 'We can’t reach our servers right now', false, []],
    ['csrf', 'Your browser isn’t keeping cookies', false, []],
    ['two_factor:otp:sms', 'Enter your code', true, []],
  ] as const) {
    browser.forget();
    const page = await showLogin();
    await signIn(page, answer);
    await page.until(`the answer to ${answer}`, () => page.text.includes(words));
    assert.deepEqual(
      [browser.opened, browser.cookies.some((one) => one.startsWith('__Host-case-role=surrogate'))],
      [opened, storesRole],
      String(answer),
    );
    const [{ user_type, email_address, pass_hash } = {}] = sentFields();
    assert.deepEqual([user_type, email_address, pass_hash], ['surrogate', 'a@x.test', 'secret']);
    if (answer === null) assert.ok(page.button('Signing in…').hasAttribute('disabled'), 'the page is being left');
    else if (!answer.startsWith('two_factor')) assert.equal(page.field('Password').value, 'secret', 'what was typed stays');
    await page.close();
  }
});

test('[SIGN-IN-14] another role is tried with what was typed, and the rejected one is not offered', async () => {
  const page = await showLogin();
  await signIn(page, 'wrong');
  assert.equal(page.has('Surrogate'), false);
  browser.answers.set(SIGN_IN, step('unavailable'));
  await page.press('Intended parent');
  await page.settle();
  assert.deepEqual(
    sentFields().map(({ user_type, pass_hash }) => [user_type, pass_hash]),
    [
      ['surrogate', 'secret'],
      ['intended_parent', 'secret'],
    ],
  );
  assert.equal(page.text.includes('couldn’t sign you in as'), false, 'the previous answer is gone');
  assert.equal(page.elements((one) => one.getAttribute('href') === '/password-reset?role=intended_parent').length, 1);
});

test('an accepted password, code, or new password is not sent again while the next page loads', async () => {
  location.hash = MAILED;
  for (const [busy, show] of [
    [
      'Signing in…',
      async () => {
        const page = await showLogin();
        await signIn(page, null);
        return page;
      },
    ],
    [
      'Checking…',
      async () => {
        const page = await showLogin({ challenge: { type: 'otp', method: 'email' } });
        await page.until('the code step', () => page.text.includes('Six-digit code'));
        browser.answers.set(SIGN_IN, step(null));
        await page.type('Six-digit code', '123456');
        return page;
      },
    ],
    [
      'Setting…',
      async () => {
        const page = await showPage(browser, createElement(ResetConfirmForm, { invitation: null, role: undefined }));
        await page.type('New password', 'long enough words');
        await page.press('Set password');
        return page;
      },
    ],
  ] as const) {
    browser.forget();
    const page = await show();
    await page.until('the next page', () => browser.opened.some((one) => one.startsWith('assign')));
    const { length } = browser.calls;
    await page.sendForms();
    assert.deepEqual([page.button(busy).disabled, browser.calls.length], [true, length], busy);
    await page.close();
  }
  location.hash = '';
});

test('a form without a role, address, or password is not sent', async () => {
  const page = await showLogin({ role: undefined });
  await page.press('Sign in');
  assert.deepEqual(page.problems, ['Choose your role.', 'Enter your email address.', 'Enter your password.']);
  assert.deepEqual(browser.calls, []);
});

test('[WEB-15] each answer to a code leads to its words, and a challenge that has ended back to the password', async () => {
  for (const [answer, words, opened] of [
    [null, '', ['assign /cases/3']],
    ['wrong_code', 'That code isn’t right', []],
    ['throttled:60', 'Too many attempts', []],
    ['unavailable', 'We can’t reach our servers right now', []],
    ['challenge_over', 'This sign-in has expired', []],
  ] as const) {
    browser.forget();
    const page = await showLogin({ challenge: { type: 'otp', method: 'email' } });
    await page.until('the code step', () => page.text.includes('Six-digit code'));
    assert.ok(page.text.includes('We sent six digits to your email address.'));
    browser.answers.set(SIGN_IN, step(answer));
    await page.type('Six-digit code', '123456');
    await page.until(`the answer to ${answer}`, () => browser.opened.length > 0 || (words !== '' && page.text.includes(words)));
    assert.deepEqual([browser.opened, sentFields().map(({ code }) => code)], [opened, ['123456']]);
    assert.equal(page.text.includes('Six-digit code'), answer !== 'challenge_over');
    if (answer === 'wrong_code') {
      assert.equal(page.field('Six-digit code').getAttribute('aria-invalid'), 'true');
      browser.answers.set(SIGN_IN, step(null));
      await page.type('Six-digit code', '654321');
      await page.until('the right code', () => browser.opened.length > 0);
    }
    if (answer === 'throttled:60') assert.equal(page.field('Six-digit code').getAttribute('aria-invalid'), 'false');
    await page.close();
  }
});

test('[TWO-FACTOR-7] a new code is requested again at once after an outage, and after the wait of a 429', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  try {
    const page = await showLogin({ challenge: { type: 'otp', method: 'sms' } });
    await page.until('the code step', () => page.has('New code in 60 s'));
    await page.settle(() => mock.timers.tick(60_000));
    for (const [answer, button, words] of [
      [503, 'Send a new code', 'We can’t reach our servers right now'],
      ['drop', 'Send a new code', 'We can’t reach our servers right now'],
      [{ status: 429, body: { problem: 'throttled:30' } }, 'New code in 30 s', 'Too many attempts'],
      [202, 'New code in 60 s', 'We sent a new code'],
      [{ status: 409, body: { problem: 'challenge_over' } }, 'Sign in', 'This sign-in has expired'],
    ] as const) {
      browser.answers.set('POST /api/auth/code', answer);
      await page.press('Send a new code');
      await page.settle();
      assert.ok(page.has(button), `${button}: ${page.text}`);
      assert.ok(page.text.includes(words), words);
      await page.settle(() => mock.timers.tick(60_000));
    }
  } finally {
    mock.timers.reset();
  }
});

test('only an app takes backup codes, and no other account waits for a code after a person starts over', async () => {
  const page = await showLogin({ challenge: { type: 'totp', method: 'app' } });
  await page.until('the code step', () => page.text.includes('Six-digit code'));
  assert.equal(page.text.includes('New code'), false);
  await page.press('Use a backup code');
  for (const [typed, isWhole] of [
    ['abcde-1234', false],
    ['abcde--12345', false],
    ['abcde12345', true],
    ['abcde 12345', true],
  ] as const) {
    await page.type('Backup code', typed);
    assert.equal(page.button('Continue').hasAttribute('disabled'), !isWhole, typed);
  }
  browser.answers.set(SIGN_IN, step('wrong_code'));
  await page.press('Continue');
  await page.settle();
  assert.equal(page.field('Backup code').value, 'abcde 12345', 'a backup code stays to be corrected');
  await page.press('Use another account');
  assert.deepEqual(browser.calls.at(-1)?.path, '/api/auth/code');
  assert.deepEqual([browser.calls.at(-1)?.method, page.has('Sign in'), page.problems], ['DELETE', true, []]);
});

test('[PASSWORD-4] a reset link is requested for the trimmed address, and can be requested again as it was', async () => {
  const page = await showPage(browser, createElement(ResetRequestForm, { role: undefined }));
  const path = 'POST /api/user/auth/password-reset/request';
  await page.press('Send link');
  assert.deepEqual(page.problems, ['Choose your role.', 'Enter your email address.']);
  await page.type('I am', 'surrogate');
  await page.type('Email address', ' a@x.test ');
  for (const [answer, problem] of [
    [
      { status: 422, body: { errors: [{ field: 'email_address', message: 'x' }] } },
      'Enter a full email address, like name@example.com.',
    ],
    [
      { status: 429, body: {}, headers: { 'retry-after': '60' } },
      'Too many attempts. For your security, wait 1 minute, then try again.',
    ],
  ] as const) {
    browser.answers.set(path, answer);
    await page.press('Send link');
    assert.deepEqual(page.problems, [problem]);
  }
  browser.answers.set(path, 202);
  await page.press('Send link');
  assert.ok(page.text.includes('If a@x.test has an account as a surrogate'));
  assert.equal(browser.changes.at(-1), `${path} {"user_type":"surrogate","email_address":"a@x.test"}`);
  await page.press('Ask again');
  assert.equal(page.field('Email address').value, 'a@x.test');
});

test('[PASSWORD-5, PASSWORD-6] a mailed token leaves the address, survives a failure, and is used up once', async () => {
  const path = 'POST /api/user/auth/password-reset/confirm';
  location.hash = MAILED;
  for (const [invitation, opened, words] of [
    [null, ['assign /login?reset=done&role=surrogate'], 'Choose a new password'],
    ['member', ['assign /login?reset=welcome&role=surrogate'], 'Welcome. Choose a password'],
    ['staff', [], 'Welcome. Choose a password'],
  ] as const) {
    browser.forget();
    location.hash = MAILED;
    const page = await showPage(browser, createElement(ResetConfirmForm, { invitation, role: 'surrogate' }));
    assert.ok(page.text.includes(words));
    assert.deepEqual(browser.opened.splice(0), ['address /page'], 'the token leaves the address bar');
    location.hash = '';
    await page.type(invitation === null ? 'New password' : 'Password', '1234567');
    await page.press('Set password');
    assert.match(page.problems[0] ?? '', /^A password needs at least \d+ characters\.$/);
    const isWeak = { status: 422, body: { errors: [{ field: 'pass_hash', message: 'Too common.' }] } };
    browser.answers.set(path, isWeak);
    await page.type(invitation === null ? 'New password' : 'Password', 'long enough words');
    await page.press('Set password');
    assert.deepEqual(page.problems, ['Too common.']);
    browser.answers.set(path, 503);
    await page.press('Set password');
    assert.match(page.problems[0] ?? '', /^We can’t reach our servers/);
    browser.answers.set(path, 200);
    await page.press('Set password');
    assert.equal(browser.changes.at(-1), `${path} {"token":"secret","pass_hash":"long enough words"}`);
    assert.deepEqual(browser.opened, opened);
    assert.equal(page.text.includes('Your account is ready'), invitation === 'staff');
    await page.close();
  }
  const again = await showPage(browser, createElement(ResetConfirmForm, { invitation: null, role: undefined }));
  assert.ok(again.text.includes('This link is incomplete'), 'a used token is forgotten');
});

test('[PASSWORD-5] a link that has ended says so, and another one in the same tab is loaded', async () => {
  location.hash = MAILED;
  const page = await showPage(browser, createElement(ResetConfirmForm, { invitation: null, role: undefined }));
  browser.answers.set('POST /api/user/auth/password-reset/confirm', {
    status: 422,
    body: { errors: [{ field: 'token', message: 'x' }] },
  });
  await page.type('New password', 'long enough words');
  await page.press('Set password');
  assert.ok(page.text.includes('This link no longer works'));
  browser.forget();
  location.hash = '#other';
  dispatchEvent(new Event('hashchange'));
  assert.deepEqual(browser.opened, []);
  location.hash = '#token=other';
  dispatchEvent(new Event('hashchange'));
  assert.deepEqual(browser.opened, ['reload']);
  location.hash = '';
});

test('[ADDRESS-1] a new address is confirmed by the button only, and a failure other than its end can be tried again', async () => {
  const path = 'POST /api/user/auth/address/confirm';
  location.hash = MAILED;
  const page = await showPage(browser, createElement(AddressConfirmForm));
  assert.deepEqual(browser.calls, []);
  browser.answers.set(path, 'drop');
  await page.press('Confirm this address');
  assert.match(page.problems[0] ?? '', /^We can’t reach our servers/);
  browser.answers.set(path, { status: 422, body: { errors: [{ field: 'token', message: 'x' }] } });
  await page.press('Confirm this address');
  assert.ok(page.text.includes('This link no longer works'));
  await page.close();
  const other = await showPage(browser, createElement(AddressConfirmForm));
  browser.answers.set(path, 200);
  await other.press('Confirm this address');
  assert.ok(other.text.includes('Your email address is changed'));
  assert.equal(browser.changes.at(-1), `${path} {"token":"secret"}`);
  location.hash = '';
  await other.close();
  const used = await showPage(browser, createElement(AddressConfirmForm));
  assert.ok(used.text.includes('This link no longer works'));
});

test('[IDENTITY-1] the person proves who they are with the password, or with a code that is sent first if it has to be', async () => {
  for (const method of [null, 'app', 'email', 'sms'] as const) {
    browser.forget();
    browser.answers.set('GET /api/user/me', { status: 200, body: { two_factor_method: method } });
    const answers: (IdentityProof | null)[] = [];
    const page = await showPage(
      browser,
      createElement(IdentityQuestion, { problem: 'Words.', answer: (proof: IdentityProof | null) => answers.push(proof) }),
    );
    assert.deepEqual([page.problems, page.has('Use a code instead')], [['Words.'], method !== null]);
    if (method !== null) {
      await page.press('Use a code instead');
      const sent = method === 'app' ? [] : [`POST /api/user/me/two-factor {"method":"${method}"}`];
      assert.deepEqual(browser.changes, sent);
      assert.equal(page.text.includes('or a backup code'), method === 'app');
      await page.press('Use your password instead');
      assert.equal(page.has('Use a code instead'), true);
      assert.deepEqual(browser.changes, sent, 'the way back sends no code');
    }
    await page.press('Cancel');
    assert.deepEqual(answers, [null]);
    await page.close();
  }
});

test('[IDENTITY-1] what was entered is sent as a password, as a code, or as a backup code', async () => {
  browser.answers.set('GET /api/user/me', { status: 200, body: { two_factor_method: 'app' } });
  const answers: (IdentityProof | null)[] = [];
  const answer = (proof: IdentityProof | null) => answers.push(proof);
  const page = await showPage(browser, createElement(IdentityQuestion, { problem: null, answer }));
  await page.type('Your password', ' 123456 ');
  await page.sendForms();
  await page.press('Use a code instead');
  for (const typed of [' 123456 ', ' k3m9p-x7w2q ']) {
    await page.type('Six digits from your app, or a backup code', typed);
    await page.sendForms();
  }
  assert.deepEqual(answers, [{ pass_hash: ' 123456 ' }, { code: '123456' }, { backup_code: 'k3m9p-x7w2q' }]);
});

test('[IDENTITY-1] a protected change waits for the dialog, and fails with the API’s words if the person cancels', async () => {
  const page = await showPage(browser, createElement(IdentityDialog));
  browser.answers.set('POST /api/x', { status: 403, body: { code: 'confirm_identity', message: 'Confirm first.' } });
  const outcome = apiBrowser('/api/x', { method: 'POST', body: { a: 1 } }).catch((error) => error.message);
  await page.until('the dialog', () => page.text.includes('Confirm it’s you'));
  await page.press('Cancel');
  assert.equal(await outcome, 'Confirm first.');
  assert.equal(page.text, '');
  assert.deepEqual(browser.changes, ['POST /api/x {"a":1}']);
});
