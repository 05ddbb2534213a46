import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplePdf } from '../../../scripts/demo/sample-files.ts';
import { assertAccessible } from '../../support/accessibility.ts';
import { eventually } from '../../support/eventually.ts';
import { arrive, type WatchedPage } from '../../support/stack/arrive.ts';
import { useRealStack } from '../../support/stack/shared-stack.ts';
import { alive } from '../alive.ts';
import { seen } from './seen.ts';

const stack = await useRealStack(['admin', 'worker']);
const PATH = '/disbursements/new?case_id=1';
const WORDS = 'Half a sentence about the hotel';
const EMPTY = { amount: '', category: '', description: '' };
const TYPED = { amount: '340.00', category: 'Childcare', description: WORDS };

async function fields(page: WatchedPage): Promise<typeof EMPTY> {
  const value = (name: string) => page.locator(`form [name="${name}"]`).inputValue();
  const [chosen = ''] = await page.locator('form [name="category"]:checked').evaluateAll((all) => all.map(({ value }) => value));
  return { amount: await value('amount'), category: chosen, description: await value('description') };
}

async function type(page: WatchedPage, typed: typeof EMPTY): Promise<void> {
  await alive(page.locator('form [name="amount"]'));
  const { category, ...texts } = typed;
  await page.getByRole('radio', { name: category }).check();
  for (const [name, text] of Object.entries(texts)) await page.locator(`form [name="${name}"]`).fill(text);
}

const holds = (page: WatchedPage, typed: typeof EMPTY) =>
  eventually('the form has what was typed', async () => JSON.stringify(await fields(page)) === JSON.stringify(typed));

test('[PAGE-2, PAGE-6] the form of a request rejects a wrong amount, and keeps what was typed over a reload, going back, being offline, and the end of the session', async () => {
  const page = await arrive(stack, 'rep', { path: PATH });
  await type(page, { ...TYPED, amount: '1,0.5' });
  await page.getByRole('button', { name: 'Save as draft' }).click();
  await seen(page.getByText('Enter an amount between $0.01 and $99,999,999.99.')).waitFor();
  await assertAccessible(page, 'the form with a mistake');
  // Cents are shown as they will be paid.
  await type(page, { ...TYPED, amount: '$340' });
  await holds(page, TYPED);
  // The form says that it keeps what was typed, and offers to start over.
  const said = page.locator('form [role="status"]').filter({ has: page.locator('button') });
  await seen(said).waitFor();

  await page.locator('nav a[href="/cases"]').filter({ visible: true }).first().click();
  await page.waitForURL('**/cases');
  await page.goBack();
  await page.waitForURL(`**${PATH}`);
  await holds(page, TYPED);

  // Offline, the form cannot be sent, says so, and keeps what is typed.
  await page.context().setOffline(true);
  const offline = { ...TYPED, description: `${WORDS}, and more` };
  await type(page, offline);
  await page.locator('form button[type="submit"]').click();
  await seen(page.locator('form [role="alert"]')).waitFor();
  assert.deepEqual(await fields(page), offline);
  await page.context().setOffline(false);
  await page.reload();
  await holds(page, offline);

  // The session is gone, as after a sign-out on another device.
  await page.context().clearCookies();
  const again = await arrive(stack, 'rep', { path: PATH, browser: page.context() });
  await holds(again, offline);

  await again.locator('form button[type="submit"]').click();
  await again.waitForURL(/\/disbursements\/\d+$/);
  await again.goto(stack.webUrl + PATH);
  await alive(again.locator('form [name="amount"]'));
  assert.deepEqual(await fields(again), EMPTY, 'a saved request is no longer kept in the form');
  await again.context().close();
});

test('[PAGE-6, WEB-12] signing out names what would be lost, and the next person on the same browser sees nothing of it', async () => {
  const page = await arrive(stack, 'rep', { path: PATH });
  await type(page, TYPED);
  await seen(page.locator('form [role="status"]').filter({ has: page.locator('button') })).waitFor();
  await page.goto(`${stack.webUrl}/settings`);
  const signOut = await alive(page.getByRole('button', { name: 'Sign out', exact: true }));
  await signOut.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This browser still has 1 unfinished request.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  // Drafts are deleted only after the session has ended. If signing out fails, they stay.
  const refused = ['**/api/auth/signout', '**/api/auth/csrf', '**/health/live'];
  for (const path of refused) {
    await page.route(path, (route) => route.fulfill({ status: 503, json: { message: 'Not now.' } }));
    await signOut.click();
    await dialog.getByRole('button', { name: 'Sign out and delete' }).click();
    await page.getByRole('alert').getByText('You’re still signed in').waitFor();
    assert.ok((await page.evaluate<string>('JSON.stringify(localStorage)')).includes(WORDS), path);
    await page.unroute(path);
  }
  await signOut.click();
  await dialog.getByRole('button', { name: 'Sign out and delete' }).click();
  await page.waitForURL('**/login**');
  const storage = await page.evaluate<string>('JSON.stringify(localStorage) + JSON.stringify(sessionStorage)');
  assert.ok(!storage.includes(WORDS), 'nothing of it is left on the device');
  const other = await arrive(stack, 'parent', { path: PATH, browser: page.context() });
  await alive(other.locator('form [name="amount"]'));
  assert.deepEqual(await fields(other), EMPTY);
  await other.context().close();
});

test('[REQUEST-20, UPLOAD-10] a request whose receipt was not uploaded is not sent yet, and the next attempt completes it once', async () => {
  const page = await arrive(stack, 'rep', { path: PATH, serviceWorkers: 'block' });
  const description = 'A hotel with a receipt';
  await type(page, { ...TYPED, description });
  const receipt = { name: 'Hotel.pdf', mimeType: 'application/pdf', buffer: samplePdf('Hotel') };
  await page.getByLabel('Choose a receipt', { exact: true }).setInputFiles(receipt);
  await page.route('**/files/confirm', (route) => route.fulfill({ status: 503, json: { message: 'Not now.' } }));
  const send = page.getByRole('button', { name: 'Send $340.00 to' });
  await send.click();
  await seen(page.locator('form [role="alert"]').filter({ hasText: 'wasn’t uploaded, so the request isn’t sent yet' })).waitFor();
  const read = async () =>
    (
      await stack.pool.query(
        `select d.status, (select count(*)::int from disbursement_file f where f.disbursement_id = d.id) as receipts
           from disbursement_request d where d.description = $1`,
        [description],
      )
    ).rows;
  assert.deepEqual(await read(), [{ status: 'draft', receipts: 0 }]);
  await page.unroute('**/files/confirm');
  await send.click();
  await page.waitForURL(/\/disbursements\/\d+$/);
  await seen(page.getByRole('link', { name: 'Hotel.pdf' })).waitFor();
  assert.deepEqual(await read(), [{ status: 'submitted', receipts: 1 }]);
  await page.context().close();
});
