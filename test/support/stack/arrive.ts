import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openBrowser, openPage } from '../../support/browser.ts';
import { CAST, type CastName, passwordOf } from '../../support/cast.ts';
import type { RealStack } from '../../support/stack/real-stack.ts';

export type WatchedPage = Page & { faults: string[] };

interface Arriving extends BrowserContextOptions {
  path?: string;
  /** A browser that somebody has used already. */
  browser?: BrowserContext;
}

/** Somebody of the cast at a page of the web frontend, signed in, in a browser of their own unless one is given. */
export async function arrive(
  { webUrl }: Pick<RealStack, 'webUrl'>,
  name: CastName,
  { path = '/', browser, ...options }: Arriving = {},
): Promise<WatchedPage> {
  const page = await openPage(browser ?? (await openBrowser({ timezoneId: 'America/New_York', ...options })));
  await page.goto(`${webUrl}/login?callbackUrl=${encodeURIComponent(path)}`);
  await page.locator('select').selectOption(CAST[name].user_type);
  await page.locator('input[type="email"]').fill(CAST[name].email_address);
  await page.locator('input[type="password"]').fill(passwordOf(name));
  await page.locator('button[type="submit"]').click();
  await page.waitForURL(webUrl + path);
  return page;
}

/** Somebody of the staff at a page of the server-rendered application, signed in. */
export async function arriveAtWork(
  { adminUrl }: Pick<RealStack, 'adminUrl'>,
  name: CastName,
  path = '/',
): Promise<WatchedPage> {
  const page = await openPage(await openBrowser());
  await page.goto(adminUrl + path);
  await page.locator('input[type="email"]').fill(CAST[name].email_address);
  await page.locator('input[type="password"]').fill(passwordOf(name));
  await page.locator('form:has(input[type="password"]) button[type="submit"]').click();
  await page.waitForURL(adminUrl + path);
  return page;
}

/** The first that can be seen: what comes in a stream stands twice for a moment, once hidden. */
export function seen(found: Locator): Locator {
  return found.filter({ visible: true }).first();
}

/** That a part of a page says this, now or in a moment. */
export async function says(part: Locator, words: string | RegExp): Promise<void> {
  await seen(part.filter({ hasText: words })).waitFor();
}
