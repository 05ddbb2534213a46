import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from '../support/accessibility.ts';
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
