import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { DEMO_PASSWORD } from '../support/cast.ts';
import { eventually } from '../support/eventually.ts';
import { startRealStack } from '../support/stack/real-stack.ts';

/** Records what a Mailpit and a push service receive. Only urgent pushes count, because those of messages are urgent. */
const mails: { To: { Email: string }[]; Subject: string }[] = [];
const pushes: string[] = [];
const sink = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.url === '/api/v1/send') mails.push(JSON.parse(Buffer.concat(chunks).toString()));
  else if (request.headers.urgency === 'high') pushes.push(request.url ?? '');
  response.writeHead(request.url === '/api/v1/send' ? 200 : 201).end('{"ID":"1"}');
});
await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
after(() => sink.close());
const sinkUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;

const stack = await startRealStack({ MAILPIT_URL: sinkUrl });
const QUESTION = 'When does the first payment reach us?';
const SUBJECT = 'New in your conversation “First payment”';
const ANSWER = 'On Monday, as soon as the bank has confirmed your deposit.';

async function signInToWeb(page: Page): Promise<void> {
  await page.goto(`${stack.webUrl}/messages/new`);
  await page.getByLabel('I am').selectOption({ label: 'Intended parent' });
  await page.getByLabel('Email address').fill('parent@demo.test');
  await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/messages/new');
}

async function signInToAdmin(page: Page): Promise<void> {
  await page.goto(`${stack.adminUrl}/messages`);
  await page.getByRole('textbox', { name: 'Email' }).fill('escrow@demo.test');
  await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/messages');
}

async function subscribeToPush(email_address: string, user_type: string, path: string): Promise<void> {
  const call = (url: string, body: object, token = '') =>
    fetch(`${stack.apiUrl}${url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
  const login = await call('/api/user/auth/login', { email_address, user_type, pass_hash: DEMO_PASSWORD });
  const { access_token } = (await login.json()) as { access_token: string };
  const keys = {
    p256dh: 'BG-9NFA07rWa6R10tZ5-a3a0NZytAr89m4wJW_BadAYINgWZ_Sc1lMkGuQ4Yki5uJvFyMUeWqT7yBzvRVzBsAFU',
    auth: 'k8JV6sjdbhAi1n3_LDBLvA',
  };
  const answer = await call('/api/notifications/subscribe', { enabled: true, endpoint: `${sinkUrl}${path}`, keys }, access_token);
  assert.equal(answer.status, 200);
}

test('[MESSAGE-1, LIVE-5] a message of a parent and its answer pass through all three layers', async () => {
  await subscribeToPush('escrow@demo.test', 'admin', '/push/escrow');
  await subscribeToPush('parent@demo.test', 'intended_parent', '/push/parent');
  const [atHome, atWork] = [await openBrowser(), await openBrowser()];
  const [parent, escrow] = [await openPage(atHome), await openPage(atWork)];

  await signInToWeb(parent);
  await parent.getByLabel('Subject').fill('First payment');
  await parent.getByLabel('Files to attach').setInputFiles({
    name: 'Deposit slip.pdf',
    mimeType: 'application/pdf',
    buffer: samplePdf('Deposit slip'),
  });
  await parent.getByPlaceholder('What would you like to say or ask?').fill(QUESTION);
  await parent.getByRole('button', { name: 'Send' }).click();
  await parent.waitForURL(/\/messages\/\d+$/);
  const chainPath = new URL(parent.url()).pathname;
  await parent.getByRole('list', { name: 'Messages' }).getByText(QUESTION).waitFor();

  // The escrow specialist finds it unread, opens it, reads the file, and answers.
  await signInToAdmin(escrow);
  const row = escrow.locator(`a[href="${chainPath}"]`).first();
  await row.waitFor();
  const words = (await row.textContent()) ?? '';
  assert.ok(words.includes('Paige Whitlock') && words.includes('First payment'), words);
  const unreadRows = escrow.locator('.is-unread', { has: row }).or(escrow.locator(`a.is-unread[href="${chainPath}"]`));
  assert.ok((await unreadRows.count()) > 0, 'it is listed as unread');
  await row.click();
  await escrow.waitForURL(`**${chainPath}`);
  await escrow.getByText(QUESTION).first().waitFor();
  const href = await escrow.getByRole('link', { name: /Deposit slip\.pdf/ }).getAttribute('href');
  const file = await fetch(href ?? '');
  assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'application/pdf']);
  const viewed = parent.waitForResponse((response) => response.url().endsWith(`/api${chainPath}/viewed`));
  await escrow.getByPlaceholder('Write a reply').fill(ANSWER);
  await escrow.getByRole('button', { name: 'Send reply' }).click();
  await escrow.getByText(ANSWER).first().waitFor();

  // The parent has the conversation open, so the answer appears at once and is marked as viewed.
  await parent.getByRole('list', { name: 'Messages' }).getByText(ANSWER).waitFor();
  assert.deepEqual(await (await viewed).json(), { unread_count: 0 });

  // Both messages are mailed and pushed once, to the right person. Mails about other events may be sent at the same time.
  const deliveries = await eventually('everything is delivered', async () => {
    const { rows } = await stack.pool.query(
      `select channel, count(*)::int from delivery where event = 'new_message'
        group by channel having bool_and(state = 'sent') and count(*) >= 2 order by channel`,
    );
    return rows.length === 2 ? rows : undefined;
  });
  assert.deepEqual(deliveries, [
    { channel: 'email', count: 2 },
    { channel: 'push', count: 2 },
  ]);
  const recipients = mails.filter(({ Subject }) => Subject === SUBJECT).map(({ To }) => To[0]?.Email);
  assert.deepEqual(recipients.sort(), ['escrow@demo.test', 'parent@demo.test']);
  assert.deepEqual(pushes.toSorted(), ['/push/escrow', '/push/parent']);
  assert.deepEqual([...parent.faults, ...escrow.faults], []);
  await Promise.all([atHome.close(), atWork.close()]);
});
