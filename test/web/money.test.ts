import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/accessibility.ts';
import { eventually } from '../support/eventually.ts';
import { arrive } from '../support/stack/arrive.ts';
import { useRealStack } from '../support/stack/shared-stack.ts';
import { alive } from './alive.ts';

const stack = await useRealStack(['admin', 'worker']);
const PHONE = { viewport: { width: 390, height: 844 }, timezoneId: 'America/New_York' };

/** Waits for visible text, because streamed content is in the page twice for a moment, once hidden. */
const shown = (page: Page, text: string | RegExp) => page.getByText(text).filter({ visible: true }).first().waitFor();

test('[BANK-5] a payee enters a bank account, of which only the last four digits come back', async () => {
  const page = await arrive(stack, 'rep', { path: null, ...PHONE });
  const data = { amount_cents: 2500, category: 'Travel', description: 'Parking at the clinic' };
  const made = await page.request.post(`${stack.webUrl}/api/cases/1/disbursements`, { data });
  await page.goto(`${stack.webUrl}/disbursements/${(await made.json()).id}`);
  await shown(page, 'We don’t know where to pay you yet');
  await shown(page, 'Add your bank account so the money can reach you once it’s approved.');
  await page.getByRole('link', { name: 'Add your bank account' }).click();
  await page.waitForURL('**/profile#bank-account');
  const panel = page.getByRole('region', { name: 'Bank account' });
  await (await alive(panel.getByRole('button', { name: 'Add a bank account' }))).click();
  await panel.getByLabel('Routing number').waitFor();
  const fill = async (routing: string, number: string, again = number) => {
    await panel.getByLabel('Routing number').fill(routing);
    await panel.getByLabel('Account number', { exact: true }).fill(number);
    await panel.getByLabel('Confirm account number').fill(again);
    await panel.getByRole('button', { name: 'Save bank account' }).click();
  };
  await fill('021000022', '000456789', '000456780');
  await panel.getByText('This isn’t a valid routing number').waitFor();
  await panel.getByText('The account numbers don’t match.').waitFor();
  assert.equal(await panel.getByLabel('Routing number').getAttribute('aria-invalid'), 'true');
  await assertAccessible(page, 'mistakes in a bank account');
  await fill('021000021', '000456789');
  await shown(page, 'Your bank account is saved.');
  await panel.getByText('In use').waitFor();
  assert.match((await panel.textContent()) ?? '', /Checking account ending in 6789/);

  const words = (await page.content()).replaceAll(/<script.*?<\/script>/gs, '');
  assert.ok(words.includes('6789') && !words.includes('000456789'), 'only the last four digits come back');
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test('[PAGE-3, REQUEST-17] the filter of the list of requests is in its address', async () => {
  const page = await arrive(stack, 'parent2', { path: '/disbursements', ...PHONE });
  const states = page.locator('a.list-row .state-pill').filter({ visible: true });
  const all = async (state: string) => {
    const texts = await states.allTextContents();
    return texts.length > 0 && texts.every((one) => one === state) ? texts.length : undefined;
  };
  await states.first().waitFor();
  await (await alive(page.getByLabel('State'))).selectOption({ label: 'Paid' });
  await page.waitForURL('**/disbursements?status=paid');
  const paid = await eventually('all that is left is paid', () => all('Paid'));
  await page.reload();
  // While the list streams in, its rows are in the page twice for a moment.
  await eventually('the filter is applied again', async () => (await all('Paid')) === paid);
  await page.locator('select:has(option[value="paid"]:checked)').waitFor();
  await page.goto(`${stack.webUrl}/disbursements?status=paid&case=999999`);
  await page.getByRole('heading', { name: 'No requests match' }).waitFor();
  await assertAccessible(page, 'a filter that finds nothing');
  await page.getByRole('link', { name: 'Show all requests' }).click();
  await page.waitForURL(`${stack.webUrl}/disbursements`);
  await page.locator('select:has(option[value="paid"]):not(:has(option[value="paid"]:checked))').waitFor();
  await page.context().close();
});

test('[PAGE-3] an owner searches, filters, and sorts cases by the address, from home and in the list', async () => {
  const page = await arrive(stack, 'owner');
  const rows = page.locator('ul.row-list a.list-row[href^="/cases/"]').filter({ visible: true });
  const names = async () => (await rows.locator('.row-who').allTextContents()).map((name) => name.replace(/ #\d+$/, ''));
  const states = () => rows.locator('.state-pill').allTextContents();
  const chip = page.locator('a[href="/cases?status=active"]').filter({ visible: true });
  const count = Number(/\d+$/.exec((await chip.first().textContent()) ?? '')?.[0]);
  assert.ok(count > 2, 'an owner has several cases that are active');
  // A search from home leads to the same list, and going back leads home.
  await (await alive(page.getByRole('searchbox', { name: 'Search cases' }))).fill('Whitlock');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${stack.webUrl}/cases?q=Whitlock`);
  await eventually('only what is searched for is listed', async () => {
    const listed = await names();
    return listed.length > 0 && listed.every((name) => name.includes('Whitlock'));
  });
  await page.goBack();
  await page.getByRole('heading', { name: 'Your cases' }).waitFor();
  await chip.first().click();
  await page.waitForURL(`${stack.webUrl}/cases?status=active`);
  await eventually('all active cases are listed', async () => {
    const texts = await states();
    return texts.length === count && texts.every((state) => state === 'Active');
  });

  await (await alive(page.getByLabel('Sort by'))).selectOption({ label: 'Name' });
  await page.waitForURL(`${stack.webUrl}/cases?status=active&sort=name`);
  const isSorted = async () => {
    const listed = await names();
    const sorted = listed.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
    return listed.length === count && listed.join() === sorted.join();
  };
  await eventually('they are sorted by name', isSorted);
  const all = await names();
  const [last = ''] = all.slice(-1);
  const word = last.split(' ')[0] ?? '';
  await page.getByRole('searchbox', { name: 'Search cases' }).fill(word);
  const address = `${stack.webUrl}/cases?status=active&sort=name&q=${word}`;
  await page.waitForURL((url) => url.searchParams.get('q') === word);
  assert.deepEqual([...new URL(page.url()).searchParams].toSorted(), [...new URL(address).searchParams].toSorted());
  const holds = () =>
    eventually('one case is left, and the fields say why', async () => {
      const fields = [
        await page.getByRole('searchbox', { name: 'Search cases' }).inputValue(),
        await page.getByLabel('State').inputValue(),
        await page.getByLabel('Sort by').inputValue(),
      ];
      return (await names()).join() === last && fields.join() === [word, 'active', 'name'].join();
    });
  await holds();
  await page.reload();
  await holds();
  await rows.first().click();
  await page.waitForURL(/\/cases\/\d+$/);
  await page.goBack();
  await holds();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
