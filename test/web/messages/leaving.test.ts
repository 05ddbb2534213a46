import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { useRealStack } from '../../support/stack/shared-stack.ts';
import { alive } from '../alive.ts';
import {
  countInChain,
  countKept,
  failed,
  loseRequests,
  openChain,
  said,
  send,
  textsInChain,
  thread,
} from './open-chain.ts';

const stack = await useRealStack(['admin', 'worker']);

/** The inbox, and the conversation opened from there, so that going back to it asks for nothing. */
async function comeByInbox(page: Page, chainId: number): Promise<void> {
  await page.goto(`${stack.webUrl}/messages`);
  await (await alive(page.locator(`a.list-row[href="/messages/${chainId}"]`))).click();
  await page.waitForURL(`**/messages/${chainId}`);
  await said(page, 'The papers are on their way.').waitFor();
}

test('[decisions 12] a message that waits for the network goes when it is back, on whichever page', async () => {
  const { page, chainId } = await openChain(stack);
  await comeByInbox(page, chainId);
  await page.context().setOffline(true);
  await send(page, 'From the train');
  await thread(page).getByText('You’re offline.').waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
  await page.context().setOffline(false);
  await eventually('it has gone', async () => (await countInChain(stack, chainId, 'From the train')) === 1);
  await eventually('nothing is kept of it', async () => (await countKept(page)) === 0);
  await page.goForward();
  await said(page, 'From the train').waitFor();
  assert.deepEqual([await said(page, 'From the train').count(), await failed(page).count()], [1, 0]);
  assert.equal(await countInChain(stack, chainId, 'From the train'), 1);
  await page.context().close();
});

test('[decisions 12] what was not sent when the browser was closed goes with the next page, in its order, once', async () => {
  const { page, chainId } = await openChain(stack);
  const context = page.context();
  await page.route(`**/api/messages/${chainId}`, loseRequests);
  await send(page, 'Has failed');
  await failed(page).waitFor();
  await context.setOffline(true);
  for (const text of ['Kept 1', 'Kept 2', 'Kept 3']) await send(page, text);
  await thread(page).getByText('You’re offline.').last().waitFor();
  await page.goto('about:blank');
  await page.unrouteAll({ behavior: 'wait' });
  await context.setOffline(false);
  // Two windows find the same.
  const other = await openPage(context);
  await Promise.all([page, other].map((one) => one.goto(`${stack.webUrl}/`)));
  await eventually('all have gone', async () => (await countInChain(stack, chainId, 'Kept 3')) === 1);
  await eventually('only what had failed is kept', async () => (await countKept(page)) === 1);
  assert.deepEqual((await textsInChain(stack, chainId)).slice(1), ['Kept 1', 'Kept 2', 'Kept 3']);
  await context.close();
});

test('[decisions 12] a message whose files are on their way goes on when its conversation is left and come back to', async () => {
  const { page, chainId } = await openChain(stack);
  await comeByInbox(page, chainId);
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(`**/api/messages/${chainId}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    begun.resolve();
    await gate.promise;
    await route.continue();
  });
  const file = { name: 'scan.txt', mimeType: 'text/plain', buffer: Buffer.from('A scan.') };
  await page.getByLabel('Files to attach').setInputFiles(file);
  await send(page, 'Here is the scan');
  await begun.promise;
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
  await page.goForward();
  await said(page, 'Here is the scan').waitFor();
  await page.getByRole('list', { name: 'Files being sent' }).getByText('scan.txt').waitFor();
  assert.equal(await failed(page).count(), 0, 'it is still on its way');
  await send(page, 'And a word on it');
  gate.resolve();
  await eventually('both have arrived', async () => (await countInChain(stack, chainId, 'And a word on it')) === 1);
  await page.getByRole('list', { name: 'Files being sent' }).waitFor({ state: 'detached' });
  assert.deepEqual((await textsInChain(stack, chainId)).slice(1), ['Here is the scan', 'And a word on it']);
  await page.context().close();
});
