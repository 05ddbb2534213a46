import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEMO_PEOPLE } from '@case-platform/words/sign-in/demo-people';
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { CAST, passwordOf } from '../support/cast.ts';
import { totpAt } from '../support/codes.ts';
import { enterPassword, signInToWeb } from '../support/stack/arrive.ts';
import { passTime } from './alive.ts';
import {
  adminUrl,
  apiUrl,
  assertNoFaults,
  assertRenewedWhenDue,
  codeInput,
  enterCode,
  forgetPhone,
  loginOf,
  meAtApi,
  openStoppedInbox,
  openWindow,
  refreshesOf,
  SESSION_COOKIE,
  sessionCookieOf,
  setStatus,
  signIn,
  signInQuietly,
  tap,
  target,
  untilExpired,
  VISITOR,
  webUrl,
} from './sign-in-stack.ts';

const STEP_MS = 30_000;

// These people sign in first, so that their tokens have expired by the time they are needed.
const [opener, inbox] = await Promise.all([signInQuietly('manager'), openStoppedInbox('rep')]);
/** Their first sign-ins, kept because others sign in with the same accounts later. */
const early = { manager: loginOf('manager'), rep: loginOf('rep') };

test('[WEB-2] a page without a session leads to /login and knows the way back', async () => {
  for (const path of ['/messages', '/messages/1', '/cases', '/profile', '/settings', '/nothing', '/sw.js']) {
    assert.equal(await target(path), `/login?callbackUrl=${encodeURIComponent(path)}`, path);
  }
  assert.equal(await target('/'), '/login');
  assert.equal(await target('/cases?q=a&sort=-name'), '/login?callbackUrl=%2Fcases%3Fq%3Da%26sort%3D-name');
});

test('[WEB-2] sign-in, password reset, and the excluded paths need no session', async () => {
  for (const path of ['/login', '/password-reset', '/password-reset/confirm?token=x', '/favicon.ico']) {
    assert.equal((await fetch(webUrl + path, { redirect: 'manual' })).status, 200, path);
  }
  for (const icon of ['/icon-192.png', '/icon-512.png', '/icon-maskable-512.png', '/apple-touch-icon.png']) {
    const { status, headers } = await fetch(webUrl + icon, { redirect: 'manual' });
    assert.deepEqual([status, headers.get('content-type')], [200, 'image/png'], icon);
  }
  const html = await (await fetch(`${webUrl}/login`)).text();
  const script = /\/_next\/static\/[^"]+\.js/.exec(html)?.[0] ?? '';
  assert.equal((await fetch(webUrl + script, { redirect: 'manual' })).status, 200, script);
  assert.equal((await fetch(`${webUrl}/_next/static/nothing.js`, { redirect: 'manual' })).status, 404);
  assert.equal((await fetch(`${webUrl}/_next/image?url=x`, { redirect: 'manual' })).status, 404);
  assert.equal((await fetch(`${webUrl}/api/user/me`, { redirect: 'manual' })).status, 401);
});

test('[WEB-2] a forged or foreign session cookie does not count', async () => {
  const session = await sessionCookieOf(opener.context());
  const value = session?.value ?? '';
  const middle = Math.floor(value.length / 2);
  const swapped = value[middle] === 'A' ? 'B' : 'A';
  for (const forged of ['x', 'a.b.c', `${value.slice(0, middle)}${swapped}${value.slice(middle + 1)}`]) {
    assert.equal(await target('/cases', { cookie: `${SESSION_COOKIE}=${forged}` }), '/login?callbackUrl=%2Fcases');
  }
});

test('[WEB-10] the browser has one sealed cookie and its JSON names no token', async () => {
  const page = await openWindow();
  await forgetPhone('parent');
  await signIn(page, 'parent');
  const cookies = (await page.context().cookies()).filter(({ name }) => name.startsWith(SESSION_COOKIE));
  assert.equal(cookies.length, 1, 'not split into parts');
  const { value = '', httpOnly, sameSite, path } = cookies[0] ?? {};
  assert.deepEqual([httpOnly, sameSite, path], [true, 'Lax', '/']);
  assert.ok(value.length > 100 && value.length < 3800, `${value.length} characters`);
  const { access_token = '', refresh_token = '' } = loginOf('parent').answer;
  await page.waitForLoadState();
  const session = (await (await page.request.get(`${webUrl}/api/auth/session`)).json()) as Record<string, unknown>;
  assert.deepEqual(Object.keys(session).sort(), ['expires', 'setup_status', 'user', 'userType']);
  assert.equal(session.userType, 'ip');
  assert.deepEqual(session.setup_status, { is_fully_setup: false, missing_fields: ['phone'] });
  const readable = await page.evaluate<string>('document.cookie');
  const everything = JSON.stringify([session, readable, await page.content()]);
  for (const secret of [access_token, refresh_token, value]) assert.ok(!everything.includes(secret));
  assertNoFaults(page);
  await page.context().close();
});

test('[WEB-1, SIGN-IN-13, SIGN-IN-14, SIGN-IN-15, DEMO-4] signing in passes on address and browser, remembers the role that was right, and offers others', async () => {
  const page = await openWindow({ userAgent: 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0' });
  await page.goto(`${webUrl}/login?callbackUrl=${encodeURIComponent('/\\evil.test')}`);
  assert.equal(await page.getByLabel('I am').inputValue(), '', 'no role is preselected');
  assert.equal(await page.getByRole('link', { name: 'Go to the staff application' }).getAttribute('href'), `${adminUrl}/login`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Choose your role.').waitFor();
  await enterPassword(page, 'surrogate', 'not the password');
  await page.getByRole('alert').getByText('We couldn’t sign you in as a surrogate').waitFor();
  await page.getByRole('button', { name: 'Show password' }).click();
  assert.equal(await page.getByLabel('Password', { exact: true }).getAttribute('type'), 'text');
  await page.getByLabel('Password', { exact: true }).fill(passwordOf('surrogate'));
  await page.getByLabel('I am').selectOption('case_manager');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByRole('button', { name: 'Surrogate' }).click();
  await page.waitForURL(`${webUrl}/`);
  const { headers, body } = loginOf('surrogate');
  assert.match(String(headers['x-forwarded-for']), /^203\.0\.113\.7, (127\.0\.0\.1|::1|::ffff:127\.0\.0\.1)$/);
  assert.match(String(headers['user-agent']), /Firefox\/140/);
  assert.deepEqual(Object.keys(body).sort(), ['email_address', 'pass_hash', 'user_type']);
  await page.goto(`${webUrl}/settings`);
  const list = page.getByRole('region', { name: 'Recent sign-ins' }).getByRole('listitem').first();
  const words = (await list.textContent()) ?? '';
  assert.ok(words.includes('Firefox on Windows') && words.includes(VISITOR) && words.includes('Website'), words);
  assertNoFaults(page);

  // Someone who is signed in is not led to another site either.
  for (const evil of ['//evil.test', '/\\evil.test', 'https://evil.test', '/\t/evil.test', 'javascript:alert(1)', '/login']) {
    const response = await page.request.get(`${webUrl}/login?callbackUrl=${encodeURIComponent(evil)}`, {
      maxRedirects: 0,
    });
    assert.deepEqual([response.status(), response.headers().location], [307, '/'], evil);
  }
  const inside = await page.request.get(`${webUrl}/login?callbackUrl=%2Fcases%3Fq%3Da`, { maxRedirects: 0 });
  assert.equal(inside.headers().location, '/cases?q=a');

  const roles = (await page.context().cookies()).filter(({ name }) => name === 'case-role').map(({ value }) => value);
  assert.deepEqual(roles, ['surrogate'], 'the role whose password was right');
  await page.context().clearCookies();
  await page.goto(`${webUrl}/login?role=case_manager`);
  assert.equal(await page.getByLabel('I am').inputValue(), 'case_manager', 'as the link says');
  for (const { name, user_type } of DEMO_PEOPLE)
    assert.equal(await page.getByRole('button', { name }).count(), user_type === 'admin' ? 0 : 1, name);
  await page.getByRole('button', { name: 'Paige Whitlock' }).click();
  await page.waitForURL(`${webUrl}/`);
  await page.context().close();
});

test('[LAYER-1] a session of one layer is rejected by the others', async () => {
  const page = await openWindow();
  const login = await fetch(`${apiUrl}/api/user/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...CAST.escrow, pass_hash: passwordOf('escrow') }),
  });
  const { access_token } = (await login.json()) as { access_token: string };
  const apiToken = `api_token=${access_token}`;
  assert.equal(await meAtApi({ cookie: apiToken }), 200);

  await page.goto(`${adminUrl}/login`);
  await page.getByRole('textbox', { name: 'Email' }).fill(CAST.escrow.email_address);
  await page.getByLabel('Password', { exact: true }).fill(passwordOf('escrow'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${adminUrl}/`);
  const staff = (await page.context().cookies()).find(({ name }) => name === 'case_session');
  const caseSession = `case_session=${staff?.value}`;
  const web = `${SESSION_COOKIE}=${(await sessionCookieOf(opener.context()))?.value}`;

  for (const cookie of [apiToken, caseSession]) {
    assert.equal(await target('/cases', { cookie }), '/login?callbackUrl=%2Fcases');
    assert.equal((await fetch(`${webUrl}/api/user/me`, { headers: { cookie } })).status, 401);
  }
  const bearer = { authorization: `Bearer ${access_token}` };
  assert.equal((await fetch(`${webUrl}/api/user/me`, { headers: bearer })).status, 401);
  for (const cookie of [web, caseSession]) assert.equal(await meAtApi({ cookie }), 401);
  const asStaff = (cookie: string) => fetch(`${adminUrl}/messages`, { headers: { cookie }, redirect: 'manual' });
  assert.equal((await asStaff(caseSession)).status, 200);
  for (const cookie of [web, apiToken]) {
    const response = await asStaff(cookie);
    assert.ok([302, 303].includes(response.status), String(response.status));
    assert.match(response.headers.get('location') ?? '', /^\/login\?next=/);
  }
  await page.context().close();
});

test('[WEB-15, TWO-FACTOR-2] app: the two-factor error names type and method, and the six digits sign in', async () => {
  const page = await openWindow();
  await page.goto(`${webUrl}/login?callbackUrl=%2Fcases`);
  const refusal = page.waitForResponse((response) => response.url().includes('/api/auth/callback/credentials'));
  await enterPassword(page, 'totp');
  assert.match(decodeURIComponent((await (await refusal).json()).url), /error=two_factor:totp:app/);
  await codeInput(page).waitFor();
  await page.reload();
  await enterCode(page, totpAt(Date.now() - 20 * STEP_MS));
  await page.getByRole('alert').getByText('That code isn’t right').waitFor();
  assert.equal(await target('/cases', { cookie: await cookieHeader(page) }), '/login?callbackUrl=%2Fcases', 'not yet');
  await enterCode(page, totpAt(Date.now()));
  await page.waitForURL(`${webUrl}/cases`);
  const { headers } = tap.calls.findLast(({ name }) => name === 'verify-totp') ?? {};
  assert.match(String(headers?.['x-forwarded-for']), /^203\.0\.113\.7,/);
  assert.match(String(headers?.['user-agent']), /Chrome\//);
  assertNoFaults(page);
  await page.context().close();
});

async function cookieHeader(page: Page): Promise<string> {
  return (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
}

test('[WEB-6] an expired access token is refreshed when a page is opened', async () => {
  await untilExpired(early.manager);
  const before = refreshesOf(early.manager).length;
  await opener.goto(`${webUrl}/cases`);
  assert.equal(new URL(opener.url()).pathname, '/cases');
  await opener.getByRole('heading', { name: 'Cases' }).waitFor();
  assertRenewedWhenDue(early.manager, before);
  assert.deepEqual(opener.faults, []);
  // This page would call the API again whenever something changes.
  await opener.goto(`${webUrl}/health/live`);
});

test('[WEB-7, WEB-9] after a failed refresh tokenError is set, and the next 401 of a browser call signs out', async () => {
  const page = inbox;
  await untilExpired(early.rep);
  await setStatus('rep', 'deactivated');
  const session = await (await page.request.get(`${webUrl}/api/auth/session`)).json();
  assert.equal(session.tokenError, 'RefreshFailed');
  // From now on only the session rejects calls, because the account and its refresh token are valid again.
  await setStatus('rep', 'active');
  assert.equal((await page.request.get(`${webUrl}/api/user/me`)).status(), 401);
  assert.equal(new URL(page.url()).pathname, '/messages', 'the failed refresh by itself signs no one out');
  assert.ok(await sessionCookieOf(page.context()));

  await passTime(page, 20_000);
  await page.clock.resume();
  await page.waitForURL(`${webUrl}/login?session=ended&callbackUrl=%2Fmessages`);
  await page.getByRole('status').getByText('You’ve been signed out').waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.getItem('case-platform.visit')), null);
  assert.equal(await sessionCookieOf(page.context()), undefined);
  await enterPassword(page, 'rep');
  await page.waitForURL(`${webUrl}/messages`);
  assertNoFaults(page);
  await page.context().close();
});

test('[WEB-3, LOCALE-1] every call that a page makes on the server carries the session’s token, and the page follows the browser’s locale', async () => {
  const context = await openBrowser();
  await signInToWeb(context, webUrl, 'manager');
  const before = tap.passed.length;
  assert.match(await (await context.request.get(`${webUrl}/cases`)).text(), /<h1[^>]*>Cases</);
  const login = loginOf('manager');
  const tokens = [login, ...refreshesOf(login)].map(({ answer }) => `Bearer ${answer.access_token}`);
  // Windows of earlier tests may still call other paths.
  const calls = tap.passed.slice(before).filter(({ path }) => path.startsWith('/api/cases'));
  assert.ok(calls.length > 0);
  for (const { authorization } of calls) assert.ok(tokens.includes(authorization ?? ''));
  const headers = { 'accept-language': 'de-DE,en;q=0.5' };
  const german = await (await context.request.get(`${webUrl}/cases/1`, { headers })).text();
  assert.match(german, /<html lang="en" data-locale="de-DE"[\s\S]*\d,\d\d\s\$/);
  await context.close();
});

test('[WEB-8] a server-side 401 leads to /login, other errors are returned to the page', async () => {
  const page = await openWindow();
  await signInToWeb(page.context(), webUrl, 'bothSurrogate');
  tap.answerWith('/api/cases', 500);
  await page.goto(`${webUrl}/cases`);
  await page.getByRole('heading', { name: /We couldn’t load/ }).waitFor();
  tap.answerWith('/api/cases', 401);
  await page.goto(`${webUrl}/cases`);
  await page.waitForURL(`${webUrl}/login?session=ended&callbackUrl=%2Fcases`);
  // The cookie is still there, but the form is shown and does not redirect back.
  assert.ok(await sessionCookieOf(page.context()));
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  tap.answerWith('/api/cases', null);
  await enterPassword(page, 'bothSurrogate');
  await page.waitForURL(`${webUrl}/cases`);
  await page.context().close();
});
