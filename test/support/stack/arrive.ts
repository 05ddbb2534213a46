import assert from 'node:assert/strict';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { withCsrfToken } from '../../../apps/web/api/with-csrf-token.ts';
import { openBrowser, openPage } from '../browser.ts';
import { CAST, type CastName, passwordOf } from '../cast.ts';

export type WatchedPage = Page & { faults: string[] };

interface Arriving extends BrowserContextOptions {
  path?: string;
  /** A browser that somebody has used already. */
  browser?: BrowserContext;
}

/**
 * Signs somebody in as the form of the web frontend does, past the form: it has tests of its own, and two pages more would be a
 * third of what a short test takes. With a second factor this leads halfway.
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

/** Signs somebody of the staff in, past the form. */
async function signInToAdmin({ request }: BrowserContext, adminUrl: string, name: CastName): Promise<void> {
  const form = { email: CAST[name].email_address, password: passwordOf(name), user_type: 'admin' };
  const answer = await request.post(`${adminUrl}/login`, { form, maxRedirects: 0 });
  assert.deepEqual([answer.status(), answer.headers().location], [303, '/']);
}

/** Somebody of the cast at a page of the web frontend, signed in, in a browser of their own unless one is given. */
export async function arrive(
  { webUrl }: { webUrl: string },
  name: CastName,
  { path = '/', browser, ...options }: Arriving = {},
): Promise<WatchedPage> {
  const context = browser ?? (await openBrowser({ timezoneId: 'America/New_York', ...options }));
  const page = await openPage(context);
  await signInToWeb(context, webUrl, name);
  await page.goto(webUrl + path);
  return page;
}

/** Somebody of the staff at a page of the server-rendered application, signed in. */
export async function arriveAtWork(
  { adminUrl }: { adminUrl: string },
  name: CastName,
  path = '/',
): Promise<WatchedPage> {
  const context = await openBrowser();
  const page = await openPage(context);
  await signInToAdmin(context, adminUrl, name);
  await page.goto(adminUrl + path);
  return page;
}
