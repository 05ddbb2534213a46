import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { findViolations } from '../support/accessibility.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { CAST, type CastName, passwordOf } from '../support/cast.ts';
import { startRealStack } from '../support/real-stack.ts';
import { focusedName, tabTo } from './keyboard.ts';

interface Row {
  /** The page in apps/web/app. */
  route: string;
  /** Its address, when that is not the route; `{name}` stands for what a statement of EXAMPLES finds. */
  path?: string;
  /** Who looks at it: someone signed in, halfway signed in, or nobody. */
  as: CastName | 'halfway' | 'nobody';
  h1: string | RegExp;
}

/** Every page of the web frontend, and the states that look different. A page without a row fails. */
const ROWS: Row[] = [
  { route: '/login', as: 'nobody', h1: 'Sign in' },
  { route: '/login', path: '/login?session=ended', as: 'nobody', h1: 'Sign in' },
  { route: '/login', as: 'halfway', h1: 'Enter your code' },
  { route: '/password-reset', as: 'nobody', h1: 'Set a new password' },
  {
    route: '/password-reset/confirm',
    path: '/password-reset/confirm?token=x',
    as: 'nobody',
    h1: 'Choose a new password',
  },
  { route: '/password-reset/confirm', as: 'nobody', h1: 'This link is not whole' },
  { route: '/', as: 'parent', h1: /Good/ },
  { route: '/', as: 'surrogate', h1: /Good/ },
  { route: '/messages', as: 'parent', h1: 'Messages' },
  { route: '/messages', path: '/messages?q=nothing-like-this', as: 'surrogate', h1: 'Messages' },
  { route: '/messages/[chain_id]', path: '/messages/{chain}', as: 'parent', h1: /./ },
  { route: '/messages/[chain_id]', path: '/messages/999999', as: 'parent', h1: /./ },
  { route: '/messages/new', as: 'parent', h1: 'Write a message' },
  { route: '/messages/new', as: 'escrow', h1: 'Write a message' },
  { route: '/cases', as: 'escrow', h1: 'Cases' },
  { route: '/cases/[id]', path: '/cases/1', as: 'parent', h1: /./ },
  { route: '/cases/[id]', path: '/cases/999999', as: 'parent', h1: 'We cannot find this page' },
  { route: '/disbursements', as: 'parent', h1: 'Requests' },
  { route: '/disbursements', as: 'surrogate', h1: 'Requests' },
  { route: '/disbursements/new', as: 'surrogate', h1: 'Request money' },
  { route: '/disbursements/[id]', path: '/disbursements/{waiting}', as: 'parent', h1: /./ },
  { route: '/disbursements/[id]', path: '/disbursements/{returned}', as: 'surrogate', h1: /./ },
  { route: '/disbursements/[id]', path: '/disbursements/{draft}', as: 'surrogate', h1: /./ },
  { route: '/disbursements/[id]/edit', path: '/disbursements/{draft}/edit', as: 'surrogate', h1: 'Change the request' },
  { route: '/profile', as: 'parent', h1: 'Profile' },
  { route: '/settings', as: 'parent', h1: 'Settings' },
];
const EXAMPLES: Record<string, string> = {
  chain: `select max(m.chain_id) as id from message_file f join message m on m.id = f.message_id
           join message_recipient r on r.message_id = m.id join user_account u on u.id = r.user_id
          where u.email_address = 'parent@demo.test'`,
  draft: `select min(d.id) as id from disbursement_request d join user_account u on u.id = d.created_by
           where d.status = 'draft' and u.email_address = 'surrogate@demo.test'`,
  returned: `select min(id) as id from disbursement_request where status = 'returned' and case_id = 1`,
  waiting: `select min(d.id) as id from disbursement_request d join user_account u on u.id = d.approver_id
             where d.status = 'submitted' and u.email_address = 'parent@demo.test'`,
};
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** What 400% of a wide window leaves (WCAG 1.4.10), narrower than the 640 that 200% leave. */
const ZOOMED = { width: 320, height: 640 };

const stack = await startRealStack();
const windows = new Map<Row['as'], Promise<Record<'wide' | 'narrow', Awaited<ReturnType<typeof openPage>>>>>();

for (const row of ROWS) {
  const { route, path = route, as } = row;
  test(`[decisions 10] ${path} for ${as}: axe-core, reflow, heading and title, wide and narrow, light and dark`, async () => {
    const { wide, narrow } = await windowsOf(as);
    const address = stack.webUrl + (await fill(path));
    await Promise.all([look(wide, address, row), look(narrow, address, row)]);
    await assertFits(narrow, PHONE);
    await assertFits(narrow, ZOOMED);
    await narrow.setViewportSize(PHONE);
  });
}

test('[decisions 10] every page of the web frontend has its row above', () => {
  const app = fileURLToPath(new URL('../../apps/web/app', import.meta.url));
  const routes = globSync('**/page.tsx', { cwd: app }).map(
    (file) =>
      `/${file
        .split('/')
        .slice(0, -1)
        .filter((part) => !part.startsWith('('))
        .join('/')}`,
  );
  assert.deepEqual([...new Set(ROWS.map(({ route }) => route))].sort(), routes.sort());
});

test('[Web frontend] what is typed, tapped and sent before the scripts have come is neither lost nor put into the address', async () => {
  const page = await openPage(await openBrowser({ viewport: PHONE }));
  let release = await holdScripts(page);
  await page.goto(`${stack.webUrl}/login?callbackUrl=%2Fmessages%2Fnew`, { waitUntil: 'commit' });
  await page.getByLabel('I am').selectOption(CAST.surrogate.user_type);
  await page.getByLabel('Email address').fill(CAST.surrogate.email_address);
  await page.getByLabel('Password', { exact: true }).fill(passwordOf('surrogate'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  assert.equal(page.url(), `${stack.webUrl}/login?callbackUrl=%2Fmessages%2Fnew`);
  release();
  await page.waitForURL(`${stack.webUrl}/messages/new`);

  release = await holdScripts(page);
  await page.goto(`${stack.webUrl}/messages/new`, { waitUntil: 'commit' });
  const text = page.getByLabel('Message', { exact: true });
  await text.fill('Typed at once.');
  release();
  // The page is drawn anew when the people of the case are known.
  await page.getByRole('button', { name: 'Write to other people on this case' }).waitFor();
  assert.equal(await text.inputValue(), 'Typed at once.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.waitForURL(/\/messages\/\d+$/);

  release = await holdScripts(page);
  await page.goto(`${stack.webUrl}/messages`, { waitUntil: 'commit' });
  await page.getByRole('searchbox', { name: 'Search messages' }).fill('once');
  release();
  await page.waitForURL(`${stack.webUrl}/messages?q=once`);

  release = await holdScripts(page);
  await page.goto(`${stack.webUrl}/messages`, { waitUntil: 'commit' });
  await page.getByRole('button', { name: 'Closed' }).click();
  release();
  await page.waitForURL(`${stack.webUrl}/messages?show=closed`);

  release = await holdScripts(page);
  await page.goto(`${stack.webUrl}/disbursements/new?case_id=1`, { waitUntil: 'commit' });
  await page.getByLabel('Amount').fill('12.50');
  await page.getByLabel('Kind of cost').fill('Travel');
  await page.getByLabel('What is it for?').fill('A bus to the clinic');
  await page.getByLabel('What is it for?').press('Tab');
  await page.getByRole('button', { name: 'Save and continue' }).click();
  assert.equal(page.url(), `${stack.webUrl}/disbursements/new?case_id=1`);
  release();
  await page.waitForURL(/\/disbursements\/\d+$/);
  await page.getByRole('heading', { name: 'A bus to the clinic' }).waitFor();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('[decisions 10] by keyboard alone: past the navigation, and a request is written and sent', async () => {
  const { wide: page } = await windowsOf('surrogate');
  await page.goto(`${stack.webUrl}/disbursements`);
  const names: string[] = [];
  for (let tabs = 0; tabs < 5; tabs++) {
    await page.keyboard.press('Tab');
    names.push(await focusedName(page));
  }
  assert.deepEqual(names.slice(0, 3), ['Go to the content', 'Case Platform', 'Home'], names.join());
  await page.goto(`${stack.webUrl}/disbursements`);
  await page.keyboard.press('Tab');
  await page.getByRole('link', { name: 'Go to the content' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await tabTo(page, 'Request money');
  assert.ok(await page.evaluate("document.activeElement.closest('main') !== null"));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Request money', level: 1 }).waitFor();
  await tabTo(page, 'Amount');
  await page.keyboard.type('19.90');
  await tabTo(page, 'Kind of cost');
  await page.keyboard.type('Travel');
  await tabTo(page, 'What is it for?');
  await page.keyboard.type('A taxi, by keyboard');
  await tabTo(page, 'Save and continue');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'A taxi, by keyboard' }).waitFor();
  await tabTo(page, 'Send request');
  await page.keyboard.press('Enter');
  await page.getByText('Waits for Parent One to approve it').filter({ visible: true }).first().waitFor();
  assert.deepEqual(page.faults, []);
});

/** Two windows of one person, used for all of their pages: a new one costs more than a new page. */
function windowsOf(as: Row['as']) {
  const known = windows.get(as) ?? open(as);
  windows.set(as, known);
  return known;
}

async function open(as: Row['as']) {
  const context = await openBrowser({ reducedMotion: 'reduce' });
  if (as !== 'nobody') await signIn(context, as === 'halfway' ? 'totp' : as);
  const [wide, narrow] = [await openPage(context), await openPage(context)];
  await wide.setViewportSize(WIDE);
  await narrow.setViewportSize(PHONE);
  return { wide, narrow };
}

/** As the form does it. With a second factor this leads halfway. */
async function signIn({ request }: BrowserContext, name: CastName): Promise<void> {
  const { csrfToken } = await (await request.get(`${stack.webUrl}/api/auth/csrf`)).json();
  const form = { ...CAST[name], password: '', pass_hash: passwordOf(name), csrfToken, json: 'true' };
  const answer = await request.post(`${stack.webUrl}/api/auth/callback/credentials`, { form });
  const { url } = await answer.json();
  assert.match(url, name === 'totp' ? /two_factor/ : new RegExp(`^${stack.webUrl}/?$`));
}

async function fill(path: string): Promise<string> {
  const name = /\{(\w+)\}/.exec(path)?.[1];
  if (name === undefined) return path;
  const { rows } = await stack.pool.query<{ id: string | null }>(EXAMPLES[name] ?? '');
  assert.ok(rows[0]?.id != null, `the demo holds something for ${name}`);
  return path.replace(`{${name}}`, rows[0].id);
}

/** One page in one window: what it says, and what axe-core says to it in the light and in the dark. */
async function look(page: Page & { faults: string[] }, address: string, { h1 }: Row): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  const answer = await page.goto(address);
  await page.getByRole('heading', { level: 1, name: h1 }).filter({ visible: true }).first().waitFor();
  await page
    .locator(':is(.skeleton-line, .skeleton-box, .skeleton-circle):visible')
    .first()
    .waitFor({ state: 'detached' });
  assert.match(await page.title(), /^(\(\d+\) )?.+ · Case Platform$/);
  const light = await findViolations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await findViolations(page, 'colours');
  const faults = page.faults.splice(0);
  const isMissing = answer?.status() === 404 || address.endsWith('999999');
  assert.deepEqual([...light, ...dark, ...faults.filter((fault) => !isMissing || !/ 404 /.test(fault))], []);
}

/** Nothing has to be scrolled sideways, neither the page nor a part of it. */
async function assertFits(page: Page, size: typeof PHONE): Promise<void> {
  await page.setViewportSize(size);
  const wider = await page.evaluate<string[]>(`[...document.querySelectorAll('*')]
    .filter((element) => element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX))
    .filter((element) => element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.outerHTML.slice(0, 100) + ' ' + element.scrollWidth)`);
  assert.deepEqual(wider, [], `at ${size.width} pixels`);
}

/** Keeps a page's scripts back, as a slow network does. @returns what lets them through. */
async function holdScripts(page: Page): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await gate.promise;
    // The page may be gone by now.
    await route.continue().catch(() => undefined);
  });
  return gate.resolve;
}
