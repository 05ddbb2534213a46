import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { TokenRejectedError, withCsrfToken } from '../../apps/web/api/with-csrf-token.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { enterPassword } from '../support/stack/arrive.ts';
import { useRealStack } from '../support/stack/shared-stack.ts';
import { alive } from './alive.ts';

const stack = await useRealStack(['admin', 'worker']);
const TOKENS = '**/api/auth/csrf';

/**
 * Simulates, once, that another page of the browser gets a CSRF token at the same moment. Neither page had one, each gets its
 * own, and the browser keeps the cookie that comes last.
 */
async function otherPageTakesAToken(page: Page): Promise<() => boolean> {
  let isTaken = false;
  const context = page.context();
  await page.route(
    TOKENS,
    async (route) => {
      const [given, other] = [await giveToken(context), await giveToken(context)];
      isTaken = given.csrfToken !== other.csrfToken;
      await route.fulfill({ json: given });
    },
    { times: 1 },
  );
  return () => isTaken;
}

/** Requests a CSRF token for a browser that has none. */
async function giveToken(context: BrowserContext): Promise<{ csrfToken: string }> {
  await context.clearCookies({ name: 'next-auth.csrf-token' });
  return (await context.request.get(`${stack.webUrl}/api/auth/csrf`)).json();
}

async function signInByForm(page: Page): Promise<void> {
  await page.goto(`${stack.webUrl}/login`);
  await alive(page.getByRole('button', { name: 'Sign in' }));
  await enterPassword(page, 'parent');
}

test('[WEB-1] someone who signs in while another page receives a token is signed in', async () => {
  const page = await openPage(await openBrowser());
  const isTaken = await otherPageTakesAToken(page);
  await signInByForm(page);
  await page.waitForURL(`${stack.webUrl}/`);
  await page.locator('.shell-me').waitFor();
  assert.ok(isTaken());
});

test('[WEB-9, WEB-11] the end of a session with a wrong token is rejected in the way in which it is repeated', async () => {
  const { request } = await openBrowser();
  const form = { csrfToken: 'wrong', callbackUrl: '/login', json: 'true' };
  const endSession = async () => (await request.post(`${stack.webUrl}/api/auth/signout`, { form })).json();
  await assert.rejects(withCsrfToken(endSession), TokenRejectedError);
});

test('[WEB-1] a person whose browser keeps no cookies sees the reason instead of an empty form', async () => {
  const page = await openPage(await openBrowser());
  await page.route(TOKENS, (route) => route.fulfill({ json: { csrfToken: 'kept nowhere' } }));
  await signInByForm(page);
  await page.getByRole('alert').getByText('Your browser isn’t keeping cookies').waitFor();
  assert.equal(page.url(), `${stack.webUrl}/login`);
});
