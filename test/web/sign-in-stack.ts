import assert from 'node:assert/strict';
import { createTokenKeys } from '@case-platform/modules/accounts';
import { fromApiUserType, type UserType } from '@case-platform/words/user-types';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { refreshTime } from '../../apps/web/session/refresh-session.ts';
import { signToken, verifyToken } from '../../modules/accounts/sign-in/tokens.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { CAST, type CastName } from '../support/cast.ts';
import { eventually } from '../support/eventually.ts';
import { enterPassword } from '../support/stack/arrive.ts';
import { startRealStack } from '../support/stack/real-stack.ts';
import { type AuthCall, startApiTap } from './api-tap.ts';

/** Where the tests' browsers come from, by the word of a trusted proxy. */
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

/** A page of somebody's own browser, which comes from an address that a trusted proxy names. */
export async function openWindow(options: BrowserContextOptions = {}): Promise<WatchedPage> {
  return openPage(await openBrowser({ extraHTTPHeaders: { 'x-forwarded-for': VISITOR }, ...options }));
}

/** Signs in and arrives. */
export async function signIn(page: Page, name: CastName, path = '/'): Promise<void> {
  await page.goto(`${webUrl}/login?callbackUrl=${encodeURIComponent(path)}`);
  await enterPassword(page, name);
  // The first page of a stack is slow on a busy machine, and not all that it loads is waited for.
  await page.waitForURL(`${webUrl}${path}`, { waitUntil: 'commit', timeout: 60_000 });
}

/** As if somebody had never given theirs: their profile is not complete then. */
export async function forgetPhone(name: CastName): Promise<void> {
  const { email_address } = CAST[name];
  await pool.query('update user_account set phone = null where email_address = $1', [email_address]);
}

/** Signed in, and on a page of the same origin that asks for nothing: whatever is called then is the test's own. */
export async function signInQuietly(name: CastName): Promise<WatchedPage> {
  const page = await openWindow();
  await signIn(page, name);
  await page.goto(`${webUrl}/health/live`);
  return page;
}

/** Signed in and in the inbox, whose clock stands still: it asks for nothing until the test lets time go on. */
export async function openStoppedInbox(name: CastName): Promise<WatchedPage> {
  const page = await openWindow();
  await page.clock.install();
  await signIn(page, name, '/messages');
  await page.waitForFunction(() => sessionStorage.getItem('case-platform.visit') !== null);
  await page.clock.pauseAt(Date.now() + 10_000);
  return page;
}

/** The next change by this path arrives, and its answer does not. */
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

/** The first of the six boxes. */
export function codeInput(page: Page) {
  return page.getByRole('textbox', { name: 'Six-digit code' });
}

/** Types a code; the sixth digit sends it. */
export async function enterCode(page: Page, code: string): Promise<void> {
  await codeInput(page).pressSequentially(code);
}

/** What was written to somebody last, once it is there and is not `before`. */
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

/** The code that was sent last, and the text it came in. */
export async function lastCode(
  name: CastName,
  channel: 'email' | 'sms',
  before = '',
): Promise<{ text: string; code: string }> {
  const text = await lastText(name, channel, 'two_factor_code', before);
  return { text, code: /\b\d{6}\b/.exec(text)?.[0] ?? '' };
}

/** What the API would have answered to a sign-in half an hour ago: its tokens are good still, and the sign-in is old. */
export async function signedInLongAgo(answer: AuthCall['answer']): Promise<AuthCall['answer']> {
  const ttl = { accessTokenTtl: 600, refreshTokenTtl: 3600 };
  const keys = createTokenKeys({ secret: JWT_SECRET, ...ttl });
  const { user_id: id, email_address, user_type } = await verifyToken(keys, 'access', answer.access_token ?? '');
  const user = { id, email_address, user_type: fromApiUserType(user_type) as UserType };
  const signedInAt = new Date(Date.now() - 30 * 60_000);
  const [access, refresh] = await Promise.all([
    signToken(keys, 'access', user, { signedInAt }),
    signToken(keys, 'refresh', user, { signedInAt }),
  ]);
  return { ...answer, access_token: access.token, refresh_token: refresh.token };
}

/** Opens or closes an account, as staff would. */
export async function setStatus(name: CastName, status: 'active' | 'deactivated'): Promise<void> {
  const { email_address, user_type } = CAST[name];
  const values = [status, email_address, fromApiUserType(user_type)];
  const changed = await pool.query(
    'update user_account set status = $1 where email_address = $2 and user_type = $3',
    values,
  );
  assert.equal(changed.rowCount, 1);
}

/** The last answer with tokens to this person's login. */
export function loginOf(name: CastName): AuthCall {
  const { email_address, user_type } = CAST[name];
  const found = tap.calls.findLast(
    (call) => call.name === 'login' && call.body.email_address === email_address && call.body.user_type === user_type,
  );
  assert.ok(found, `${email_address} has signed in`);
  return found;
}

/** The refreshes of a sign-in. */
export function refreshesOf({ answer: { refresh_token } }: AuthCall): AuthCall[] {
  return tap.calls.filter((call) => call.name === 'refresh' && call.body.refresh_token === refresh_token);
}

/**
 * That the token of a sign-in was renewed since, and none of them before it was due: those who ask at the same time share one
 * refresh. Whoever takes longer than a token lives, as pages of a busy machine may, has it renewed again.
 */
export function assertRenewedWhenDue(login: AuthCall, before: number): void {
  const renewed = refreshesOf(login).slice(before);
  assert.ok(renewed.length > 0, 'the token was renewed');
  const lives = renewed.map(({ answer }) => lifeOf(answer.access_token ?? ''));
  lives.slice(1).forEach((life, at) => {
    const previous = lives[at] ?? life;
    assert.ok(
      life.begin + 1000 >= refreshTime(previous.begin, previous.end),
      'those at the same time share one refresh',
    );
  });
}

function lifeOf(accessToken: string): { begin: number; end: number } {
  const { iat, exp } = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
  return { begin: iat * 1000, end: exp * 1000 };
}

/** What the API itself answers to these credentials. */
export function meAtApi(headers: Record<string, string>): Promise<number> {
  return fetch(`${apiUrl}/api/user/me`, { headers }).then((response) => response.status);
}

/** Waits until the API itself no longer takes the token that this person signed in with. */
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

/** No script error, and nothing that the Content-Security-Policy had to refuse. */
export function assertNoFaults(page: WatchedPage): void {
  // A refusal that a test provokes stands in the console of every browser.
  assert.deepEqual(
    page.faults.filter((fault) => !fault.startsWith('Failed to load resource')),
    [],
  );
}

/** Where a request without redirects is sent to. */
export async function target(path: string, headers: Record<string, string> = {}): Promise<string | null> {
  const response = await fetch(webUrl + path, { redirect: 'manual', headers });
  return response.status === 307 ? response.headers.get('location') : null;
}
