import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { findInBothLooks, WIDE } from '../support/accessibility.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { CAST, passwordOf } from '../support/cast.ts';
import { eventually } from '../support/eventually.ts';
import { signInToWeb } from '../support/stack/arrive.ts';
import { useRealStack } from '../support/stack/shared-stack.ts';
import { alive } from './alive.ts';
import { focusedName, tabTo } from './keyboard.ts';
import { assertFits, lookAtPage } from './look-at-page.ts';
import { EXAMPLES, ROWS, type Row } from './page-table.ts';
import { watchMarkup } from './server-markup.ts';
import { holdPages, holdScripts } from './slow-network.ts';

const PHONE = { width: 390, height: 844 };

const stack = await useRealStack(['admin', 'worker']);
const windows = new Map<Row['as'], ReturnType<typeof open>>();

for (const row of ROWS) {
  const { route, path = route, as } = row;
  test(`[PAGE-1, PAGE-5] ${path} for ${as}: heading, title, rendered once; axe-core and reflow, wide and narrow, light and dark`, async () => {
    const page = await windowOf(as);
    await lookAtPage(page, stack.webUrl + (await fill(path)), row);
    const violations = await findInBothLooks(page, () => assertFits(page));
    assert.deepEqual(violations, { wide: [], narrow: [] });
    assert.deepEqual(page.faults.splice(0), []);
  });
}

test('[API-10, API-11, EDGE-4] an engineer finds the reference of the API, signs in there, and lists cases with the token', async () => {
  const page = await openPage(await openBrowser(WIDE));
  await page.goto(stack.apiUrl);
  await page.getByRole('link', { name: 'Read the reference' }).click();
  const execute = async (tag: string, operationId: string) => {
    await page.locator(`#operations-tag-${tag}`).click();
    const operation = page.locator(`#operations-${tag}-${operationId}`);
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'TypeScript' }).click();
    assert.match((await operation.locator('.samples').textContent()) ?? '', /await fetch\(/);
    await operation.getByRole('button', { name: 'Execute' }).click();
    return operation.locator('.live-responses-table').first().textContent();
  };
  // The library is large, and the first reader waits until it is compressed.
  await page.locator('#operations-tag-auth').waitFor({ timeout: 60_000 });
  const violations = await findInBothLooks(page);
  assert.match((await execute('auth', 'login')) ?? '', /200.*access_token/s);
  assert.match((await execute('cases', 'listCases')) ?? '', /200.*Whitlock & Lindgren/s);
  assert.deepEqual(violations, { wide: [], narrow: [] });
  assert.deepEqual(page.faults, [], 'nothing was blocked by the policy, and no script failed');
});

test('[PAGE-1] every page of the web frontend has a row in the table', () => {
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

test('[PAGE-4] input before the scripts have loaded (typing, taps, choices, sending) is neither lost nor put into the address', async () => {
  const page = await open('surrogate', PHONE);
  let release = await holdScripts(page);
  await page.goto(`${stack.webUrl}/messages/new`, { waitUntil: 'commit' });
  const text = page.getByLabel('Message', { exact: true });
  await text.fill('Typed at once.');
  const files = [{ name: 'At once.pdf', mimeType: 'application/pdf', buffer: samplePdf('At once') }];
  await page.getByLabel('Files to attach').setInputFiles(files);
  release();
  // The page is rendered again when the people of the case are loaded.
  await page.getByRole('button', { name: 'Write to other people on this case' }).waitFor();
  assert.equal(await text.inputValue(), 'Typed at once.');
  await page.getByRole('list', { name: 'Files to send' }).getByText('At once.pdf').waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.waitForURL(/\/messages\/\d+$/);

  release = await holdScripts(page);
  await page.goto(`${stack.webUrl}/messages`, { waitUntil: 'commit' });
  await page.getByRole('searchbox', { name: 'Search messages' }).fill('once');
  release();
  await page.waitForURL(`${stack.webUrl}/messages?q=once`);
  await page.getByText('Narrow it with from:name').waitFor();
  await page.getByRole('searchbox', { name: 'Search messages' }).fill('once before:2026-02-30');
  await page.getByRole('alert').getByText('“2026-02-30” isn’t a day').waitFor();
  await page.getByRole('searchbox', { name: 'Search messages' }).fill('once from:me has:file');
  await page.getByRole('link', { name: /Typed at once/ }).waitFor();

  release = await holdScripts(page);
  await page.goto(`${stack.webUrl}/disbursements/new?case_id=1`, { waitUntil: 'commit' });
  await page.getByLabel('Amount').fill('12.50');
  await page.getByRole('radio', { name: /^Travel/ }).click();
  await page.getByLabel('What is it for?').fill('A bus to the clinic');
  await page.getByLabel('What is it for?').press('Tab');
  await page.getByRole('button', { name: 'Send to Paige' }).click();
  assert.equal(page.url(), `${stack.webUrl}/disbursements/new?case_id=1`);
  release();
  await page.waitForURL(/\/disbursements\/\d+$/);
  await page.getByRole('heading', { name: 'A bus to the clinic' }).waitFor();

  release = await holdScripts(page);
  await page.goto(`${stack.webUrl}/profile`, { waitUntil: 'commit' });
  const firstName = page.getByLabel('First name');
  assert.notEqual(await firstName.inputValue(), '', 'the field is filled in without scripts');
  await firstName.fill('Sooner');
  release();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Your profile is saved').waitFor();
  assert.equal(await firstName.inputValue(), 'Sooner');
  // The browser logs the rejected search.
  assert.deepEqual(
    page.faults.filter((fault) => !/ 422 .*before/.test(fault)),
    [],
  );
  await page.context().close();
});

test('[PAGE-1] with the keyboard only, a person skips the navigation, and writes and submits a request', async () => {
  const page = await windowOf('surrogate');
  await page.setViewportSize(WIDE.viewport);
  await page.goto(`${stack.webUrl}/disbursements`);
  const names: string[] = [];
  for (let tabs = 0; tabs < 3; tabs++) {
    await page.keyboard.press('Tab');
    names.push(await focusedName(page));
  }
  assert.deepEqual(names, ['Skip to content', 'Case Platform', 'Home']);
  for (let tabs = 0; tabs < 2; tabs++) await page.keyboard.press('Shift+Tab');
  await page.getByRole('link', { name: 'Skip to content' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await tabTo(page, 'Request money');
  assert.ok(await page.evaluate("document.activeElement.closest('main') !== null"));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Request money', level: 1 }).waitFor();
  await tabTo(page, 'Amount');
  await page.keyboard.type('19.90');
  await tabTo(page, /^Base compensation/);
  await page.keyboard.press('Space');
  await tabTo(page, 'What is it for?');
  await page.keyboard.type('A taxi, by keyboard');
  await tabTo(page, 'Send $19.90 to Paige');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'A taxi, by keyboard' }).waitFor();
  await page.getByText('Waiting for Paige Whitlock to approve it').filter({ visible: true }).first().waitFor();
  assert.deepEqual(page.faults, []);
});

test('[PAGE-5] going to a page within the application shows its skeleton at once, and then the page', async () => {
  const page = await windowOf('surrogate');
  await page.setViewportSize({ width: WIDE.viewport.width, height: 500 });
  const ahead: string[] = [];
  page.on('request', (request) => 'next-router-prefetch' in request.headers() && ahead.push(request.url()));
  await page.goto(`${stack.webUrl}/messages`);
  await alive(page.locator('body'));
  assert.deepEqual(ahead, [], 'nothing is prefetched while the device saves data');
  await page.addInitScript('Object.defineProperty(navigator.connection, "saveData", { value: false });');
  await page.reload();
  await eventually('pages are prefetched', () => ahead.length > 0);
  const go = async (name: string, h1: RegExp, seen = async () => {}) => {
    const link = page.getByRole('link', { name }).first();
    await link.scrollIntoViewIfNeeded();
    await page.evaluate('scrollTo(0, 10000)');
    await link.click();
    await seen();
    await page.getByRole('heading', { level: 1, name: h1 }).waitFor();
  };
  const WAYS = [
    ['Home', /Good/],
    ['Cases', /Cases/],
    ['Whitlock & Lindgren', /Whitlock/],
    ['Requests', /Requests/],
    ['Request money', /Request money/],
  ] as const;
  // The first round lets the router prefetch the skeletons. Without them a skeleton comes with the first bytes of the page.
  for (const [name, h1] of WAYS) await go(name, h1);
  const hold = await holdPages(page);
  const skeleton = page.getByRole('status', { name: 'Loading', exact: true });
  for (const [name, h1] of WAYS) {
    const release = hold();
    await go(name, h1, async () => {
      await skeleton.waitFor();
      assert.equal(await page.evaluate('scrollY'), 0, 'it is scrolled to its top');
      release();
    });
    assert.equal(await skeleton.count(), 0);
  }
  assert.deepEqual(page.faults, []);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('[PAGE-4] taps, choices, and forms that React cannot handle yet are not lost either', async () => {
  // This does what React does while a part of the page is loading: it stops events that it cannot handle, at the document.
  const page = await openPage(await openBrowser({ viewport: PHONE, serviceWorkers: 'block' }));
  const blocked = `(event) => { if (!('hydrated' in window)) event.stopPropagation(); }`;
  await page.addInitScript(
    `for (const name of ['click', 'change', 'submit']) document.addEventListener(name, ${blocked}, true);`,
  );
  const hold = async (path: string) => {
    const release = await holdScripts(page);
    await page.goto(stack.webUrl + path, { waitUntil: 'commit' });
    return release;
  };
  let release = await hold('/login?callbackUrl=%2Fsettings');
  await page.getByLabel('I am').selectOption(CAST.surrogate.user_type);
  await page.getByLabel('Email address').fill(CAST.surrogate.email_address);
  await page.getByLabel('Password', { exact: true }).fill(passwordOf('surrogate'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  assert.equal(page.url(), `${stack.webUrl}/login?callbackUrl=%2Fsettings`);
  release();
  await page.waitForURL(`${stack.webUrl}/settings`);

  release = await hold('/settings');
  await page.getByRole('radio', { name: 'Dark' }).click({ force: true });
  await page.getByRole('button', { name: 'Turn on', exact: true }).first().click();
  release();
  await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  await page.waitForFunction(`document.documentElement.dataset.theme === 'dark'`);

  release = await hold('/disbursements');
  await page.getByLabel('State').selectOption('paid');
  release();
  await page.waitForURL(`${stack.webUrl}/disbursements?status=paid`);
});

test('[PAGE-4] a tap more than half a minute before the scripts loaded is dropped', async () => {
  // This window is not shared, because its clock is moved.
  const page = await open('surrogate');
  await page.clock.install();
  // A delayed tap is stopped at the window, so it reaches this listener only when it is replayed.
  await page.addInitScript(`addEventListener('click', () => { globalThis.tapped = true; })`);
  for (const { wait, isDone, path } of [
    { wait: 5000, isDone: true, path: '/messages?show=closed' },
    { wait: 31_000, isDone: false, path: '/messages' },
  ]) {
    const release = await holdScripts(page);
    await page.goto(`${stack.webUrl}/messages`, { waitUntil: 'commit' });
    await page.getByRole('button', { name: 'Closed' }).click();
    await page.clock.fastForward(wait);
    release();
    await alive(page.getByRole('button', { name: 'Closed' }));
    assert.equal(await page.evaluate("'tapped' in globalThis"), isDone);
    await page.waitForURL(stack.webUrl + path);
  }
});

/** Returns the window of a person, reused for all pages because opening a window costs more than loading a page. */
function windowOf(as: Row['as']) {
  const window = windows.get(as) ?? open(as);
  windows.set(as, window);
  return window;
}

async function open(as: Row['as'], viewport: typeof PHONE = WIDE.viewport) {
  // Requests of a page that a service worker controls would bypass the routes that the tests set up.
  const context = await openBrowser({ serviceWorkers: 'block', ...WIDE, viewport });
  await watchMarkup(context);
  if (as !== 'nobody') await signInToWeb(context, stack.webUrl, as === 'halfway' ? 'totp' : as);
  return openPage(context);
}

async function fill(path: string): Promise<string> {
  const name = /\{(\w+)\}/.exec(path)?.[1];
  if (name === undefined) return path;
  const { rows } = await stack.pool.query<{ id: string | null }>(EXAMPLES[name] ?? '');
  assert.ok(rows[0]?.id != null, `the demo has a row for ${name}`);
  return path.replace(`{${name}}`, rows[0].id);
}
