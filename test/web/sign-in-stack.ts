import assert from 'node:assert/strict';
import { createTokenKeys } from '@case-platform/modules/accounts';
import { fromApiUserType } from '@case-platform/words/user-types';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { refreshTime } from '../../apps/web/session/refresh-session.ts';
import { signToken, verifyToken } from '../../modules/accounts/sign-in/tokens.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { CAST, type CastName } from '../support/cast.ts';
import { eventually } from '../support/eventually.ts';
import { signInToWeb } from '../support/stack/arrive.ts';
import { startRealStack } from '../support/stack/real-stack.ts';
import { type AuthCall, startApiTap } from './api-tap.ts';

/** The address of the tests' browsers, as a trusted proxy reports it. */
export const VISITOR = '203.0.113.7';
export const SESSION_COOKIE = 'next-auth.session-token';

const JWT_SECRET = 'token-secret-of-the-browser-tests-32-bytes!';
/** The whole platform, with short access tokens and a tap between the web server and the API. */
export const tap = await startApiTap();
const stack = await startRealStack({
  API_PORT: String(tap.apiPort),
  API_URL: tap.url,
  ACCESS_TOKEN_TTL: '10',
  JWT_SECRET,
  TRUST_PROXY: 'loopback',
});
export const { webUrl, adminUrl, pool } = stack;
export const apiUrl = `http://127.0.0.1:${tap.apiPort}`;

export type WatchedPage = Page & { faults: string[] };

/** Opens a page in a new browser, whose requests come from VISITOR. */
export async function openWindow(options: BrowserContextOptions = {}): Promise<WatchedPage> {
  return openPage(await openBrowser({ extraHTTPHeaders: { 'x-forwarded-for': VISITOR }, ...options }));
}

/** Signs in without the form, and opens the page at this path. */
export async function signIn(page: Page, name: CastName, path = '/'): Promise<void> {
  await signInToWeb(page.context(), webUrl, name);
  await page.goto(webUrl + path);
}

/** Removes the phone number of a person, so that their profile is not complete. */
export async function forgetPhone(name: CastName): Promise<void> {
  const { email_address } = CAST[name];
  await pool.query('update user_account set phone = null where email_address = $1', [email_address]);
}

/** Signs in and opens a page of the same origin that makes no calls, so that every later call is the test's own. */
export async function signInQuietly(name: CastName): Promise<WatchedPage> {
  const page = await openWindow();
  await signIn(page, name, '/health/live');
  return page;
}

/** Signs in and opens the inbox with a stopped clock, so that it makes no calls until the test moves the clock. */
export async function openStoppedInbox(name: CastName): Promise<WatchedPage> {
  const page = await openWindow();
  await page.clock.install();
  await signIn(page, name, '/messages');
  await page.waitForFunction(() => sessionStorage.getItem('case-platform.visit') !== null);
  await page.clock.pauseAt(Date.now() + 10_000);
  return page;
}

/** Lets the next request to this path arrive, and drops its answer. */
export async function loseNextAnswer(page: Page, path: string): Promise<void> {
  await page.route(
    `${webUrl}${path}`,
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
}

export function codeInput(page: Page) {
  return page.getByRole('textbox', { name: 'Six-digit code' });
}

/** Types a code; the sixth digit sends it. */
export async function enterCode(page: Page, code: string): Promise<void> {
  await codeInput(page).pressSequentially(code);
}

/** Waits for the last text that was sent to a person for this event, if it is not `before`. */
export function lastText(name: CastName, channel: 'email' | 'sms', event: string, before = ''): Promise<string> {
  const { email_address, user_type } = CAST[name];
  return eventually(`a ${channel} to ${email_address}`, async () => {
    const { rows } = await pool.query<{ text: string | null }>(
      `select d.content->>'text' as text from delivery d join user_account u on u.id = d.user_id
        where u.email_address = $1 and u.user_type = $2 and d.channel = $3 and d.event = $4 order by d.id desc limit 1`,
      [email_address, fromApiUserType(user_type), channel, event],
    );
    const text = rows[0]?.text ?? undefined;
    return text === before ? undefined : text;
  });
}

/** Waits for the last code that was sent to a person, and the text that contains it. */
export async function lastCode(name: CastName, channel: 'email' | 'sms', before = ''): Promise<{ text: string; code: string }> {
  const text = await lastText(name, channel, 'two_factor_code', before);
  return { text, code: /\b\d{6}\b/.exec(text)?.[0] ?? '' };
}

/** Replaces the tokens of an answer with valid ones from a sign-in half an hour ago. */
export async function signedInLongAgo(answer: AuthCall['answer']): Promise<AuthCall['answer']> {
  const ttl = { accessTokenTtl: 600, refreshTokenTtl: 3600 };
  const keys = createTokenKeys({ secret: JWT_SECRET, ...ttl });
  const now = new Date();
  const { user_id: id, ...holder } = await verifyToken(keys, 'access', answer.access_token ?? '', now);
  const user = { id, ...holder };
  const signedInAt = new Date(now.getTime() - 30 * 60_000);
  const [access, refresh] = await Promise.all([
    signToken(keys, 'access', user, { signedInAt }, now),
    signToken(keys, 'refresh', user, { signedInAt }, now),
  ]);
  return { ...answer, access_token: access.token, refresh_token: refresh.token };
}

/** Activates or deactivates an account, as staff would. */
export async function setStatus(name: CastName, status: 'active' | 'deactivated'): Promise<void> {
  const { email_address, user_type } = CAST[name];
  const values = [status, email_address, fromApiUserType(user_type)];
  const result = await pool.query('update user_account set status = $1 where email_address = $2 and user_type = $3', values);
  assert.equal(result.rowCount, 1);
}

/** The last answer with tokens to this person's login. */
export function loginOf(name: CastName): AuthCall {
  const { email_address, user_type } = CAST[name];
  const login = tap.calls.findLast(
    (call) => call.name === 'login' && call.body.email_address === email_address && call.body.user_type === user_type,
  );
  assert.ok(login, `${email_address} has signed in`);
  return login;
}

/** The refreshes of a sign-in. */
export function refreshesOf({ answer: { refresh_token } }: AuthCall): AuthCall[] {
  return tap.calls.filter((call) => call.name === 'refresh' && call.body.refresh_token === refresh_token);
}

/**
 * Requires that the token of a sign-in was renewed after the first `before` refreshes, and never before it was due: requests at
 * the same time share one refresh. On a busy machine a page may outlive a token and renew it more than once.
 */
export function assertRenewedWhenDue(login: AuthCall, before: number): void {
  const renewed = refreshesOf(login).slice(before);
  assert.ok(renewed.length > 0, 'the token was renewed');
  const lives = renewed.map(({ answer }) => lifeOf(answer.access_token ?? ''));
  lives.slice(1).forEach((life, at) => {
    const previous = lives[at] ?? life;
    assert.ok(life.begin + 1000 >= refreshTime(previous.begin, previous.end), 'those at the same time share one refresh');
  });
}

function lifeOf(accessToken: string): { begin: number; end: number } {
  const { iat, exp } = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
  return { begin: iat * 1000, end: exp * 1000 };
}

/** Returns the status of the API's own answer to these credentials. */
export function meAtApi(headers: Record<string, string>): Promise<number> {
  return fetch(`${apiUrl}/api/user/me`, { headers }).then((response) => response.status);
}

/** Waits until the API itself rejects the access token of this sign-in. */
export async function untilExpired({ answer }: Pick<AuthCall, 'answer'>): Promise<void> {
  await eventually('the access token expires', async () => {
    const status = await meAtApi({ authorization: `Bearer ${answer.access_token}` });
    return status === 401;
  });
}

/** The session cookie of a browser, if it has one. */
export async function sessionCookieOf(context: BrowserContext) {
  return (await context.cookies()).find(({ name }) => name === SESSION_COOKIE);
}

/** Requires that the page had no script error and no violation of its Content-Security-Policy. */
export function assertNoFaults(page: WatchedPage): void {
  // Browsers log every rejected call, including those that a test provokes.
  assert.deepEqual(
    page.faults.filter((fault) => !fault.startsWith('Failed to load resource')),
    [],
  );
}

/** Returns the address that a path redirects to, or null. */
export async function target(path: string, headers: Record<string, string> = {}): Promise<string | null> {
  const response = await fetch(webUrl + path, { redirect: 'manual', headers });
  return response.status === 307 ? response.headers.get('location') : null;
}
