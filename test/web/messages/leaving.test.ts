import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { openPage } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { arrive } from '../../support/stack/arrive.ts';
import { useRealStack } from '../../support/stack/shared-stack.ts';
import { alive } from '../alive.ts';
import {
  countInChain,
  countKept,
  failed,
  loseAnswers,
  loseRequests,
  openChain,
  said,
  send,
  startChain,
  textsInChain,
  thread,
} from './open-chain.ts';

const stack = await useRealStack(['admin', 'worker']);

/** Opens the conversation from the inbox, so that going back requests nothing from the server. */
async function comeByInbox(page: Page, chainId: number): Promise<void> {
  await page.goto(`${stack.webUrl}/messages`);
  await (await alive(page.locator(`a.list-row[href="/messages/${chainId}"]`))).click();
  await page.waitForURL(`**/messages/${chainId}`);
  await said(page, 'The papers are on their way.').waitFor();
}

test('[OUTBOX-1, OUTBOX-2] messages that were not sent when the browser was closed are sent with the next page, in order, once', async () => {
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
  // Two windows find the same stored messages, and each message must still be sent once.
  const other = await openPage(context);
  await Promise.all([page, other].map((one) => one.goto(`${stack.webUrl}/`)));
  await eventually('all have gone', async () => (await countInChain(stack, chainId, 'Kept 3')) === 1);
  await eventually('only what had failed is kept', async () => (await countKept(page)) === 1);
  assert.deepEqual((await textsInChain(stack, chainId)).slice(1), ['Kept 1', 'Kept 2', 'Kept 3']);
  await context.close();
});

test('[OUTBOX-1] a message whose files are being sent continues when its conversation is left and opened again', async () => {
  const { page, chainId } = await startChain(stack);
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

async function countChains(subject: string): Promise<number> {
  const { rowCount } = await stack.pool.query('select from message_chain where subject = $1', [subject]);
  return rowCount ?? 0;
}

const countDrafts = (page: Page) =>
  page.evaluate<number>("Object.keys(localStorage).filter((key) => key.startsWith('case-platform.draft')).length");

/** Opens the form of a new conversation and fills it in. */
async function write(subject: string): Promise<Page> {
  const page = await arrive(stack, 'parent', { path: '/messages/new', serviceWorkers: 'block' });
  await (await alive(page.getByLabel('Subject'))).fill(subject);
  await page.getByPlaceholder('What would you like to say or ask?').fill('Could you look at this?');
  return page;
}

/** Delays a POST to an address. @returns `begun` resolves when it was sent, and `release` lets it through. */
async function holdPost(page: Page, address: string): Promise<{ begun: Promise<void>; release: () => Promise<unknown> }> {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const isIt = (request: Request) => request.method() === 'POST';
  await page.route(address, async (route) => {
    if (!isIt(route.request())) return route.continue();
    begun.resolve();
    await gate.promise;
    await route.continue();
  });
  const answered = page.waitForEvent(
    'requestfinished',
    (request) => isIt(request) && new URL(request.url()).pathname.startsWith('/api/messages'),
  );
  const release = () => {
    gate.resolve();
    return answered;
  };
  return { begun: begun.promise, release };
}

/** Goes to the cases. @returns a list that collects the addresses of later page requests. */
async function goToCases(page: Page): Promise<string[]> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Cases' }).click();
  await page.waitForURL('**/cases');
  await page.getByRole('heading', { level: 1, name: 'Cases' }).waitFor();
  const requests: string[] = [];
  page.on('request', (request) => {
    if ('rsc' in request.headers() && !('next-router-prefetch' in request.headers())) requests.push(request.url());
  });
  return requests;
}

test('[OUTBOX-1] a conversation whose form is left while it is sent is still started, and redirects no one', async () => {
  const page = await write('Left behind');
  const { begun, release } = await holdPost(page, '**/api/messages');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await begun;
  await goToCases(page);
  await page.goBack();
  await page.getByRole('button', { name: 'Sending…' }).waitFor();
  assert.equal(await page.getByLabel('Subject').inputValue(), 'Left behind');
  const requests = await goToCases(page);
  await release();
  await eventually('its draft is gone', async () => (await countDrafts(page)) === 0);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  assert.deepEqual([requests, page.url(), await countChains('Left behind')], [[], `${stack.webUrl}/cases`, 1]);
  await page.context().close();
});

test('[OUTBOX-1, OUTBOX-3] a conversation that was started although its answer was lost is not started again after a reload', async () => {
  const page = await write('Answer lost');
  await page.route('**/api/messages', loseAnswers);
  const sendIt = page.getByRole('button', { name: 'Send', exact: true });
  await sendIt.click();
  await page.getByText('We couldn’t send this message').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await page.reload();
  await eventually('it is kept', async () => (await page.getByLabel('Subject').inputValue()) === 'Answer lost');
  await (await alive(sendIt)).click();
  await page.waitForURL(/\/messages\/\d+$/);
  await page.getByRole('heading', { name: 'Answer lost' }).first().waitFor();
  assert.deepEqual([await countChains('Answer lost'), await countDrafts(page)], [1, 0]);
  await page.context().close();
});

test('[OUTBOX-2] the first message of a conversation waits for the network and can be cancelled meanwhile', async () => {
  const page = await write('From the tunnel');
  const sendIt = page.getByRole('button', { name: 'Send', exact: true });
  await page.context().setOffline(true);
  await sendIt.click();
  await page.getByText('You’re offline.').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('You cancelled this message').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('You’re offline.').waitFor();
  // The network is back, but its first connection fails.
  await page.route('**/api/messages', (route) => route.abort('internetdisconnected'), { times: 1 });
  await page.context().setOffline(false);
  await page.waitForURL(/\/messages\/\d+$/);
  await page.getByRole('heading', { name: 'From the tunnel' }).first().waitFor();
  assert.deepEqual([await countChains('From the tunnel'), await countDrafts(page)], [1, 0]);
  await page.context().close();
});
