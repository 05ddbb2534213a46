import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { signInToWeb } from '../../support/stack/arrive.ts';
import { useRealStack } from '../../support/stack/shared-stack.ts';
import { alive } from '../alive.ts';
import { countInChain, failed, loseRequests, openChain, said, send, takeSession, textsInChain, thread } from './open-chain.ts';

const stack = await useRealStack(['admin', 'worker']);

test('[OUTBOX-1] a failed message is not mistaken for one with the same words that arrived just before', async () => {
  const { page, chainId } = await openChain(stack);
  await send(page, 'Thanks');
  await eventually('the first has arrived', async () => (await countInChain(stack, chainId, 'Thanks')) === 1);
  await thread(page).getByText('Sending…').waitFor({ state: 'detached' });
  await page.route(`**/api/messages/${chainId}`, loseRequests);
  await send(page, 'Thanks');
  await failed(page).waitFor();
  assert.equal(await said(page, 'Thanks').count(), 2, 'both are shown');

  await page.unrouteAll({ behavior: 'wait' });
  await page.reload();
  await failed(page).waitFor();
  assert.equal(await said(page, 'Thanks').count(), 2, 'and kept over a reload');
  await page.getByRole('button', { name: 'Try again' }).click();
  await failed(page).waitFor({ state: 'detached' });
  await eventually('the second has arrived', async () => (await countInChain(stack, chainId, 'Thanks')) === 2);
  assert.equal(await said(page, 'Thanks').count(), 2);
});

/** A page whose session has ended is replaced by a page of the person who is signed in now, or by the sign-in page. */
test('[WEB-12] unsent messages of a person who signed out are not sent as the next person', async () => {
  const { page, chainId } = await openChain(stack);
  const context = page.context();
  const silent = await openPage(context);
  // This page gets no live events and can request nothing but pages.
  await silent.route('**/api/**', (route) => route.abort());
  await silent.goto(`${stack.webUrl}/cases/1`);
  await alive(silent.getByRole('link', { name: 'Cases' }).first());
  await page.route(`**/api/messages/${chainId}`, loseRequests);
  await send(page, 'From the first');
  await failed(page).waitFor();
  await page.unrouteAll({ behavior: 'wait' });

  // Each person has a visit id of their own, with which support finds what they saw.
  const visits: (string | null)[] = [];
  const anotherVisit = () =>
    eventually('another visit has begun', async () => {
      const visit = await page.evaluate<string | null>("sessionStorage.getItem('case-platform.visit')");
      if (visit === null || visits.includes(visit)) return false;
      visits.push(visit);
      return true;
    });
  await anotherVisit();

  await context.setOffline(true);
  await signInToWeb(context, stack.webUrl, 'escrow');
  await send(page, 'Waits for the network');
  await thread(page).getByText('You’re offline.').waitFor();
  await context.setOffline(false);
  await silent.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  for (const one of [page, silent]) {
    await one.waitForURL(`${stack.webUrl}/`);
    await one.locator('.shell-me').getByText('Escrow team').waitFor();
  }
  assert.equal(await countInChain(stack, chainId, 'Waits for the network'), 0);
  await anotherVisit();

  // An open page of the previous person would redirect by itself and interfere with the next steps.
  await page.goto('about:blank');
  await signInToWeb(context, stack.webUrl, 'parent');
  await page.goto(`${stack.webUrl}/messages/${chainId}`);
  await said(page, 'From the first').waitFor();
  await eventually('it waited for its writer', async () => (await countInChain(stack, chainId, 'Waits for the network')) === 1);
  await anotherVisit();
  await failed(page).waitFor();
  assert.equal(await failed(page).count(), 1, 'a failed message is kept for its author, who decides about it');
  await silent.close();
  await takeSession(page, chainId);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.waitForURL(`${stack.webUrl}/login?session=ended&callbackUrl=%2Fmessages%2F${chainId}`);
});

test('[OUTBOX-2] messages beyond the limit per minute wait, say so, and are then sent in order, once each', async () => {
  const { page, chainId } = await openChain(stack);
  const refused = new Set<string | undefined>();
  await page.route(`**/api/messages/${chainId}`, async (route) => {
    const [number] = /Number \d+/.exec(route.request().postData() ?? '') ?? [];
    if (number === undefined || refused.has(number)) return route.continue();
    refused.add(number);
    const problem = { status: 429, code: 'too_many_requests', message: 'You can send 30 messages in a minute.' };
    await route.fulfill({
      status: 429,
      headers: { 'retry-after': '2', 'content-type': 'application/problem+json' },
      body: JSON.stringify(problem),
    });
  });
  await send(page, 'Number 31');
  await thread(page).getByText('You’ve sent many messages in a minute.').waitFor();
  assert.equal(await failed(page).count(), 0, 'nothing has failed');
  await send(page, 'Number 32');
  await eventually('both have gone', async () => (await countInChain(stack, chainId, 'Number 32')) === 1);
  await thread(page).getByText('You’ve sent many messages in a minute.').last().waitFor({ state: 'detached' });
  assert.deepEqual((await textsInChain(stack, chainId)).slice(1), ['Number 31', 'Number 32']);
  assert.equal(await said(page, 'Number 31').count(), 1);
  assert.equal(await countInChain(stack, chainId, 'Number 31'), 1);
});
