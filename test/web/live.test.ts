import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { assertAccessible } from '../support/accessibility.ts';
import { openBrowser } from '../support/browser.ts';
import { CAST } from '../support/cast.ts';
import { eventually } from '../support/eventually.ts';
import { arrive, arriveAtWork } from '../support/stack/arrive.ts';
import { useRealStack } from '../support/stack/shared-stack.ts';
import { alive, passTime } from './alive.ts';
import { tabTo } from './keyboard.ts';

const stack = await useRealStack(['worker']);

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Marks the document, so that a reload can be detected at the end. */
const markDocument = (page: Page) => page.evaluate("document.body.setAttribute('data-same', 'yes')");
const isSameDocument = (page: Page) => page.evaluate<boolean>("document.body.getAttribute('data-same') === 'yes'");

const thread = (page: Page) => page.getByRole('list', { name: 'Messages' });
const composer = (page: Page) => page.getByPlaceholder('Write a message');
const unreadInNav = (page: Page) => page.getByRole('navigation', { name: 'Main' }).locator('.unread-badge');

function unreadCount(page: Page): Promise<number> {
  return page.evaluate<number>(
    "fetch('/api/messages/unread/count').then((answer) => answer.json()).then(({ unread_count }) => unread_count)",
  );
}

async function send(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

/** Opens the first of two pictures by keyboard, looks at both, and closes the view. */
async function viewLarge(page: Page, [filename, next]: [string, string]): Promise<void> {
  const tile = thread(page).getByRole('button', { name: `Show larger: ${filename}` });
  await tile.focus();
  await page.keyboard.press('Enter');
  const view = page.getByRole('dialog', { name: filename });
  await view.getByRole('img', { name: filename }).waitFor();
  await assertAccessible(page, 'a picture in large');
  assert.equal(await view.getByRole('link', { name: 'Download' }).getAttribute('download'), filename);
  // A picture that does not load does not hide the others.
  await view.getByRole('img').dispatchEvent('error');
  await view.getByText('This picture didn’t load.').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('dialog', { name: next }).getByRole('img', { name: next }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await view.getByRole('img', { name: filename }).waitFor();
  await page.keyboard.press('Escape');
  await view.waitFor({ state: 'detached' });
  assert.ok(await tile.evaluate((one) => one === one.ownerDocument.activeElement), 'the focus is back');
}

test('[LIVE-5] parents, surrogate, and escrow talk live: messages, files, marks, and badges arrive by themselves', async () => {
  const [parent, surrogate] = await Promise.all([
    arrive(stack, 'parent', { path: '/messages/new' }),
    arrive(stack, 'surrogate', { path: '/messages' }),
  ]);
  await markDocument(surrogate);
  const before = await unreadCount(surrogate);

  // The parent writes to the surrogate, with a file.
  await parent.getByRole('button', { name: 'Write to other people on this case' }).click();
  await parent.getByRole('checkbox', { name: /Surrogate/ }).check();
  await parent.getByLabel('Subject').fill('Hospital bag');
  await parent.getByLabel('Files to attach').setInputFiles({
    name: 'Packing list.pdf',
    mimeType: 'application/pdf',
    buffer: samplePdf('Packing list'),
  });
  await parent.getByPlaceholder('What would you like to say or ask?').fill('We made a list for the hospital.');
  await parent.getByRole('button', { name: 'Send' }).click();
  await parent.waitForURL(/\/messages\/\d+$/);
  const chainPath = new URL(parent.url()).pathname;
  await markDocument(parent);

  // The message appears in the surrogate's inbox, badge, and title without a reload.
  const row = surrogate.locator(`a.list-row[href="${chainPath}"]`);
  await row.getByText('We made a list').waitFor();
  assert.match((await row.getAttribute('class')) ?? '', /is-unread/);
  await unreadInNav(surrogate)
    .getByText(String(before + 1), { exact: true })
    .waitFor();
  await eventually('the title counts', async () => (await surrogate.title()).startsWith(`(${before + 1}) `));

  // Opening it marks it as viewed, and the parent sees the answer with its pictures at once.
  await row.click();
  await surrogate.waitForURL(`**${chainPath}`);
  await thread(surrogate)
    .getByRole('link', { name: /Packing list\.pdf/ })
    .waitFor();
  await eventually('it is viewed', async () => (await unreadCount(surrogate)) === before);
  const pictures: [string, string] = ['Bag.png', 'Shoes.png'];
  await surrogate
    .getByLabel('Files to attach')
    .setInputFiles(pictures.map((name) => ({ name, mimeType: 'image/png', buffer: PIXEL })));
  await surrogate.getByRole('list', { name: 'Files to send' }).locator('img').nth(1).waitFor();
  await send(surrogate, 'Packed, see here.');
  await thread(parent).getByText('Packed, see here.').waitFor();
  const picture = thread(parent).locator('img').first();
  await picture.waitFor();
  const width = () => picture.evaluate((image) => ('naturalWidth' in image ? image.naturalWidth : 0));
  await eventually('the picture is drawn', async () => (await width()) === 1);
  await viewLarge(parent, pictures);

  // Both see the answer that the escrow specialist sends from the staff application.
  const escrow = await arriveAtWork(stack, 'escrow', chainPath);
  await escrow.getByText('Packed, see here.').first().waitFor();
  await escrow.getByPlaceholder('Write a reply').fill('The clinic has both of your numbers.');
  await escrow.getByRole('button', { name: 'Send reply' }).click();
  for (const page of [parent, surrogate]) await thread(page).getByText('The clinic has both of your numbers.').waitFor();

  // The surrogate sees that the parent took a message back, and no longer its text.
  await send(parent, 'This was meant for someone else.');
  const slip = thread(surrogate).getByText('This was meant for someone else.');
  await slip.waitFor();
  const mine = thread(parent).getByRole('listitem').filter({ hasText: 'This was meant for someone else.' });
  await mine.getByRole('button', { name: 'Take back' }).click();
  await parent.getByRole('dialog').getByRole('button', { name: 'Take it back' }).click();
  await thread(parent).getByText('You took this message back.').waitFor();
  await thread(surrogate)
    .getByText(/took this message back/)
    .waitFor();
  assert.equal(await slip.count(), 0);

  for (const page of [parent, surrogate]) {
    assert.ok(await isSameDocument(page), 'no page was loaded again');
    assert.deepEqual(page.faults, []);
  }
  await Promise.all([parent, surrogate, escrow].map((page) => page.context().close()));
});

/** Starts a conversation between a parent and the surrogate. */
async function begin(parent: Page, subject: string): Promise<void> {
  const { rows } = await stack.pool.query('select id::int from user_account where email_address = $1', [
    CAST.surrogate.email_address,
  ]);
  const recipients = JSON.stringify([{ user_type: 'surrogate', user_id: rows[0].id }]);
  const multipart = { message: 'A few words.', subject, case_id: '1', recipients };
  const answer = await parent.request.post(`${stack.webUrl}/api/messages`, { multipart });
  assert.equal(answer.status(), 201, await answer.text());
}

test('[LIVE-1, LIVE-4] going offline and back loses nothing, on either side', async () => {
  const [parent, surrogate] = await Promise.all([
    arrive(stack, 'parent', { path: '/messages' }),
    arrive(stack, 'surrogate', { path: '/messages' }),
  ]);
  const before = await unreadCount(surrogate);
  await begin(parent, 'The tunnel');
  const rows = surrogate.locator('a.list-row', { hasText: 'The tunnel' });
  const chainPath = (await rows.getAttribute('href')) ?? '';
  await Promise.all([
    parent.locator(`a.list-row[href="${chainPath}"]`).click(),
    rows.click(),
    ...[parent, surrogate].map((page) => page.waitForURL(`**${chainPath}`)),
  ]);
  await markDocument(surrogate);

  await surrogate.context().setOffline(true);
  await send(surrogate, 'Written in a tunnel.');
  await thread(surrogate).getByText('You’re offline.').waitFor();
  await send(parent, 'Written meanwhile.');
  await thread(parent).getByText('Written meanwhile.').waitFor();
  assert.equal(await thread(surrogate).getByText('Written meanwhile.').count(), 0);

  await surrogate.context().setOffline(false);
  await thread(surrogate).getByText('Written meanwhile.').waitFor();
  await thread(parent).getByText('Written in a tunnel.').waitFor();
  await thread(surrogate).getByText('You’re offline.').waitFor({ state: 'detached' });
  assert.equal(await thread(surrogate).getByText('Written in a tunnel.').count(), 1);
  assert.ok(await isSameDocument(surrogate));

  // The home page also shows a message that waits.
  await surrogate.getByRole('link', { name: 'Home' }).click();
  await surrogate.waitForURL(`${stack.webUrl}/`);
  await send(parent, 'Are you there?');
  const waiting = surrogate.getByRole('heading', { name: 'Waiting for you' }).locator('xpath=..');
  await waiting.getByText('Are you there?').click();
  await surrogate.waitForURL(`**${chainPath}`);

  // A draft survives a reload (OUTBOX-3), and a conversation can be marked as unread again (UNREAD-6).
  await composer(surrogate).fill('Half a thou');
  await surrogate.reload();
  await eventually('the draft is back', async () => (await composer(surrogate).inputValue()) === 'Half a thou');
  await eventually('it is viewed', async () => (await unreadCount(surrogate)) === before);
  await surrogate.getByRole('button', { name: 'Mark as unread' }).click();
  await surrogate.waitForURL(`${stack.webUrl}/messages`);
  await surrogate.locator(`a.list-row.is-unread[href="${chainPath}"]`).waitFor();
  await Promise.all([parent, surrogate].map((page) => page.context().close()));
});

test('[PAGE-1] a message is written with the keyboard only', async () => {
  const page = await arrive(stack, 'parent2', { path: '/messages' });
  await tabTo(page, 'Write');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/messages/new');
  await page.getByRole('heading', { name: 'Write a message' }).waitFor();
  await tabTo(page, 'Subject');
  await page.keyboard.type('By keyboard');
  await tabTo(page, 'Message');
  await page.keyboard.type('Nobody touched a mouse.');
  await page.keyboard.press('Control+Enter');
  await page.waitForURL(/\/messages\/\d+$/);
  await thread(page).getByText('Nobody touched a mouse.').waitFor();

  await tabTo(page, 'Take back');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Take this message back?' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await tabTo(page, 'Message');
  await page.keyboard.type('An answer.');
  await page.keyboard.press('Meta+Enter');
  await thread(page).getByText('An answer.').waitFor();
  assert.equal(await composer(page).inputValue(), '');
  await page.context().close();
});

test('[LIVE-5] an old list of conversations is requested again when the reader returns to it, and its times move on', async () => {
  const browser = await openBrowser();
  await browser.clock.install();
  const page = await arrive(stack, 'surrogate', { browser, path: '/messages' });
  await (await alive(page.getByRole('button', { name: 'Unread' }))).click();
  await page.waitForURL('**/messages?show=unread');
  // A list that is not shown is dropped after a while, but the list that the page was rendered with is kept.
  await passTime(page, 6 * 60_000);
  const parent = await arrive(stack, 'parent', { path: null });
  await begin(parent, 'Six minutes later');
  await page.getByRole('button', { name: 'All', exact: true }).click();
  const row = page.getByRole('region', { name: 'Conversations' }).getByRole('link').filter({ hasText: 'Six minutes later' });
  await row.waitFor();
  // A time that was today becomes yesterday while the page stays open.
  const time = row.locator('time [aria-hidden]').first();
  const before = await time.textContent();
  await passTime(page, '24:00:00');
  await eventually('the time moves on', async () => (await time.textContent()) !== before);
  await Promise.all([parent, page].map((one) => one.context().close()));
});
