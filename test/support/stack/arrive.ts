import assert from 'node:assert/strict';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { withCsrfToken } from '../../../apps/web/api/with-csrf-token.ts';
import { openBrowser, openPage } from '../browser.ts';
import { CAST, type CastName, passwordOf } from '../cast.ts';

export type WatchedPage = Page & { faults: string[] };

interface Arriving extends BrowserContextOptions {
  /** By default the home page; null opens no page, for tests that prepare something first. */
  path?: string | null;
  /** A browser that was already used. */
  browser?: BrowserContext;
}

/**
 * Signs someone in with the same request as the sign-in form, without loading the form: it has its own tests, and two more pages
 * would take a third of the time of a short test. With a second factor, the sign-in is not complete after this.
 */
export async function signInToWeb({ request }: BrowserContext, webUrl: string, name: CastName): Promise<void> {
  const { url } = await withCsrfToken(async (): Promise<{ url: string }> => {
    const { csrfToken } = await (await request.get(`${webUrl}/api/auth/csrf`)).json();
    const form = { ...CAST[name], password: '', pass_hash: passwordOf(name), csrfToken, json: 'true' };
    const answer = await request.post(`${webUrl}/api/auth/callback/credentials`, { form });
    return answer.json();
  });
  assert.match(url, name === 'totp' ? /two_factor/ : /^(?!.*error=)/);
}

/** Fills in the sign-in form and sends it. */
export async function enterPassword(page: Page, name: CastName, password = passwordOf(name)): Promise<void> {
  const { email_address, user_type } = CAST[name];
  await page.getByLabel('I am').selectOption(user_type);
  await page.getByLabel('Email address').fill(email_address);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in a member of the staff without loading the form. */
async function signInToAdmin({ request }: BrowserContext, adminUrl: string, name: CastName): Promise<void> {
  const form = { email: CAST[name].email_address, password: passwordOf(name), user_type: 'admin' };
  const answer = await request.post(`${adminUrl}/login`, { form, maxRedirects: 0 });
  assert.deepEqual([answer.status(), answer.headers().location], [303, '/']);
}

/** Opens a page of the web frontend as someone from the cast, signed in, in a new browser unless one is given. */
export async function arrive(
  { webUrl }: { webUrl: string },
  name: CastName,
  { path = '/', browser, ...options }: Arriving = {},
): Promise<WatchedPage> {
  const context = browser ?? (await openBrowser({ timezoneId: 'America/New_York', ...options }));
  const page = await openPage(context);
  await signInToWeb(context, webUrl, name);
  if (path !== null) await page.goto(webUrl + path);
  return page;
}

/** Opens a page of the staff application as a member of the staff, signed in. */
export async function arriveAtWork({ adminUrl }: { adminUrl: string }, name: CastName, path = '/'): Promise<WatchedPage> {
  const context = await openBrowser();
  const page = await openPage(context);
  await signInToAdmin(context, adminUrl, name);
  await page.goto(adminUrl + path);
  return page;
}
