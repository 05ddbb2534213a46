import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Page, Request, Response, Route } from 'playwright-core';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { messagesDesk } from '../admin/inbox/messages-desk.ts';
import { startAdmin } from '../admin/start-admin.ts';
import { assertAccessible } from '../support/accessibility.ts';
import { eventually } from '../support/eventually.ts';
import { loseAnswer, loseForm } from '../support/lost-form.ts';
import { bringTo } from '../support/money.ts';
import { startApi, startStorage } from '../support/platform.ts';
import { arriveAtWork } from '../support/stack/arrive.ts';

const api = await startApi();
/** The pages that may send files to the store, whose address is only known once they are served. */
const origins: string[] = [];
const admin = await startAdmin({ database: api, storage: await startStorage(undefined, origins) });
origins.push(new URL(admin.baseUrl).origin);
const desk = await messagesDesk(admin);

/** Opens a page and waits until its stream of live updates is open. */
async function openLive(page: Page, path: string): Promise<void> {
  const stream = page.waitForResponse((response) => new URL(response.url()).pathname === '/messages/events');
  await page.goto(`${admin.baseUrl}${path}`);
  assert.equal((await stream).status(), 200);
}

const [kim, lee] = [
  await arriveAtWork({ adminUrl: admin.baseUrl }, 'escrow'),
  await arriveAtWork({ adminUrl: admin.baseUrl }, 'root'),
];

test('[LIVE-5, MESSAGE-7] two admins see each other’s replies and notes at once, and a parent sees no note', async () => {
  // Nothing else may be unread, because the number in the navigation is checked below.
  await api.pool.query('update message set admin_viewed = now() where to_admin and admin_viewed is null');
  const chain = await desk.receive('May I ask something?', 'A question');
  await Promise.all([openLive(kim, `/messages/${chain}`), openLive(lee, `/messages/${chain}`)]);

  // Kim sees that Lee is writing, and answers first anyway.
  await lee.getByLabel('Your reply').fill('My own answer');
  await kim.getByText('Ruth Adeyemi is writing a reply…').waitFor();
  await kim.getByLabel('Your reply').fill('Yes, of course.');
  await kim.getByRole('button', { name: 'Send reply' }).click();
  await lee.locator('.bubble', { hasText: 'Yes, of course.' }).waitFor();
  await lee.getByText('Elena Marsh replied while you were writing.').waitFor();
  assert.equal(await lee.getByLabel('Your reply').inputValue(), 'My own answer', 'what was typed stays');
  await kim.locator('.bubble', { hasText: 'Yes, of course.' }).waitFor();

  // Lee adds a note instead. The reply stays a draft after the page is loaded again.
  await lee.getByRole('link', { name: 'Internal note' }).click();
  await lee.getByLabel('Your internal note').fill('They asked before, by phone.');
  await lee.getByRole('button', { name: 'Add note' }).click();
  await lee.locator('.is-note .bubble', { hasText: 'by phone' }).waitFor();
  await kim.locator('.is-note .bubble', { hasText: 'by phone' }).waitFor();
  await assertAccessible(lee, 'a chain with a note');
  await lee.getByRole('link', { name: /^Reply/ }).click();
  assert.equal(await lee.getByLabel('Your reply').inputValue(), 'My own answer');

  const parent = await api.as('parent');
  const { body } = await parent.get(`/api/messages/${chain}`);
  assert.match(JSON.stringify(body), /Yes, of course\./);
  assert.doesNotMatch(JSON.stringify(body), /note|by phone/i);

  // The parent's answer appears for both, and showing it marks it as viewed.
  await parent.form(`/api/messages/${chain}`, { message: 'Thank you.' });
  await Promise.all([kim, lee].map((page) => page.locator('.bubble', { hasText: 'Thank you.' }).waitFor()));
  await kim.locator('#unread-badge[data-count="0"]').waitFor({ state: 'attached' });
  assert.deepEqual([...kim.faults, ...lee.faults], []);
});

test('[LIVE-8] a page to which nothing has happened is not read again when its stream opens', async () => {
  const root = await admin.as('root');
  const path = `/messages/${await desk.receive('A quiet question')}`;
  const readings: string[] = [];
  const listen = (request: Request) => {
    if (request.headers()['x-background'] === '1' && request.method() === 'GET') readings.push(new URL(request.url()).pathname);
  };
  kim.on('request', listen);
  // The conversation began a moment before the page is opened for the first time.
  await eventually('nothing is read again', async () => {
    readings.length = 0;
    await openLive(kim, path);
    // The stream ends what it repeats before this event.
    await root.post(`${path}/writing`, { writing: 'reply' });
    await kim.getByText('Ruth Adeyemi is writing a reply…').waitFor();
    return !readings.includes(path);
  });
  kim.off('request', listen);
});

test('[LIVE-5] taking back, closing, and reassigning are shown to the other admin at once', async () => {
  const chain = await desk.receive('Another question');
  await Promise.all([openLive(kim, `/messages/${chain}`), openLive(lee, `/messages/${chain}`)]);
  await kim.getByLabel('Your reply').fill('Wrong window');
  await kim.getByRole('button', { name: 'Send reply' }).click();
  await lee.locator('.bubble', { hasText: 'Wrong window' }).waitFor();
  await kim.locator('.message.is-mine').hover();
  await kim.getByRole('button', { name: 'Take back' }).click();
  await kim.getByRole('alertdialog').getByRole('button', { name: 'Take back' }).click();
  await lee.getByText('Elena Marsh took back a message').waitFor();
  await lee.locator('.bubble', { hasText: 'Wrong window' }).waitFor({ state: 'detached' });
  await lee.getByRole('button', { name: 'Close', exact: true }).click();
  await kim.getByRole('button', { name: 'Reopen' }).waitFor();
  await lee.getByRole('button', { name: 'Assign to me' }).click();
  await kim.locator('.chain-facts').getByText('Ruth Adeyemi').first().waitFor();
  assert.deepEqual([...kim.faults, ...lee.faults], []);
});

test('[LIVE-10] a live part of a page stays as it is when its next reading fails or is empty', async () => {
  await api.pool.query('update message set admin_viewed = now() where to_admin and admin_viewed is null');
  const path = `/messages/${await desk.receive('A question during an outage')}`;
  await openLive(kim, path);
  await kim.locator('.bubble', { hasText: 'A question during an outage' }).waitFor();
  await kim.locator('#unread-badge[data-count="0"]').waitFor({ state: 'attached' });
  // The badge is read by htmx, and the other parts by our own script.
  const parts = () =>
    kim.evaluate<string[]>(`[...document.querySelectorAll('#unread-badge, [data-live][id]')].map((part) => part.outerHTML)`);
  const isBackground = (request: Request) => request.method() === 'GET' && request.headers()['x-background'] === '1';
  /** Has all parts read again. An answer is used before the next reading begins. */
  const readAgain = async () => {
    const answered = kim.waitForResponse((answer) => new URL(answer.url()).pathname === path && isBackground(answer.request()));
    await kim.evaluate(`new Promise((resolve) => {
      document.body.addEventListener('htmx:after:request', resolve, { once: true });
      document.body.dispatchEvent(new Event('count-unread'));
      document.dispatchEvent(new CustomEvent('live:refresh', { detail: {} }));
    })`);
    await answered;
  };
  // Marking the message as viewed changes parts, too, and has to be over.
  await eventually('the page is at rest', async () => {
    const earlier = await parts();
    await readAgain();
    return isDeepStrictEqual(await parts(), earlier);
  });
  const before = await parts();
  assert.ok(before.length > 3, `${before.length} parts`);
  const otherParts = `<p>Out of order</p>${before.map((part) => part.replace(/>[\s\S]*</, '>Out of order<')).join('')}`;
  let status = 200;
  await kim.route('**/messages/**', (route) =>
    isBackground(route.request())
      ? route.fulfill({ status, contentType: 'text/html', body: status === 204 ? '' : otherParts })
      : route.fallback(),
  );
  for (status of [204, 400, 401, 403, 404, 409, 422, 429, 500, 502, 503, 504, 500]) {
    await readAgain();
    assert.deepEqual(await parts(), before, `${status}, or the one before it`);
  }
  status = 200;
  await readAgain();
  await kim.locator('#timeline', { hasText: 'Out of order' }).waitFor();
  await kim.locator('#unread-badge', { hasText: 'Out of order' }).waitFor({ state: 'attached' });
  // A browser reports each error that it was sent.
  assert.deepEqual(
    kim.faults.splice(0).filter((fault) => !fault.startsWith('Failed to load resource')),
    [],
  );
  await kim.unroute('**/messages/**');
});

interface BackgroundCall {
  script: string;
  call: string;
  /** Prepares the page, and returns its path. */
  path: () => Promise<string>;
  isCall: (request: Request, path: string) => boolean;
  /** Does what causes the call. */
  cause: () => Promise<unknown>;
  /** Waits for the page that follows. */
  end?: () => Promise<unknown>;
}

const isPost = (step: string) => (request: Request) =>
  request.method() === 'POST' && new URL(request.url()).pathname.endsWith(`/${step}`);
const isReading = (request: Request, path: string) =>
  request.method() === 'GET' && request.headers()['x-background'] === '1' && new URL(request.url()).pathname === path;
const refresh = () => kim.evaluate(`document.dispatchEvent(new CustomEvent('live:refresh', { detail: {} }))`);
const receive = async () => `/messages/${await desk.receive('A question on a shaky line', 'Shaky')}`;
const press = async (key: string) => {
  await kim.locator('a.chain-row', { hasText: 'Shaky' }).first().focus();
  await kim.keyboard.press(key);
};
const upload = async () => {
  const input = kim.locator('form[data-upload] input[type=file]').first();
  if (await input.isEnabled())
    await input.setInputFiles({ name: 'shaky.pdf', mimeType: 'application/pdf', buffer: samplePdf('Shaky') });
};
const added = () => kim.waitForURL('**/cases/1?done=file');
const inbox = async () => {
  await receive();
  return '/messages';
};

/** Everything that the scripts of the staff pages send or read by themselves. */
const BACKGROUND_CALLS: BackgroundCall[] = [
  { script: 'chain.ts', call: 'reads the conversation again', path: receive, isCall: isReading, cause: refresh },
  {
    script: 'chain.ts',
    call: 'marks messages as viewed',
    path: receive,
    isCall: isPost('viewed'),
    cause: () => kim.locator('.messages-scroll').dispatchEvent('scroll'),
  },
  {
    script: 'chain.ts',
    call: 'says who is writing',
    path: receive,
    isCall: isPost('writing'),
    cause: () => kim.getByLabel('Your reply').pressSequentially('x'),
  },
  { script: 'inbox.ts', call: 'reads the list again', path: inbox, isCall: isReading, cause: refresh },
  { script: 'inbox.ts', call: 'closes and reopens', path: inbox, isCall: isPost('status'), cause: () => press('e') },
  { script: 'inbox.ts', call: 'marks as read', path: inbox, isCall: isPost('viewed'), cause: () => press('u') },
  {
    script: 'inbox.ts',
    call: 'marks as unread',
    path: async () => {
      const path = await inbox();
      await api.pool.query('update message set admin_viewed = now() where to_admin and admin_viewed is null');
      return path;
    },
    isCall: isPost('unread'),
    cause: () => press('u'),
  },
  {
    script: 'request.ts',
    call: 'reads the request again',
    path: async () => {
      const [maker, checker] = await api.people('surrogate', 'parent');
      return `/disbursements/${await bringTo(api, { maker, checker }, 'submitted')}`;
    },
    isCall: isReading,
    cause: refresh,
  },
  ...[
    ['requests an address for a file', isPost('upload-url')] as const,
    ['sends a file', (request: Request) => request.method() === 'POST' && !request.url().startsWith(admin.baseUrl)] as const,
    ['confirms a file', isPost('confirm')] as const,
  ].map(([call, isCall]) => ({ script: 'uploads.ts', call, path: async () => '/cases/1', isCall, cause: upload, end: added })),
];

const FAILURES: Record<string, (route: Route) => Promise<void>> = {
  'without a network': (route) => route.abort(),
  'with an error': (route) => route.fulfill({ status: 503, body: 'Busy' }),
};

test('[LIVE-10, UPLOAD-10] each background call of an open staff page works again after it has failed once', async () => {
  const folder = new URL('../../apps/admin/browser/', import.meta.url);
  const scripts = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(scripts.map((name) => readFile(new URL(name, folder), 'utf8')));
  const calling = scripts.filter((_, at) => /\b(fetch|post|readAgain|XMLHttpRequest)\(/.test(texts[at] ?? ''));
  assert.deepEqual(new Set(BACKGROUND_CALLS.map(({ script }) => script)), new Set(calling));
  for (const { script, call, path: prepare, isCall, cause, end } of BACKGROUND_CALLS)
    for (const [how, fail] of Object.entries(FAILURES)) {
      const path = await prepare();
      let [failed, succeeded] = [0, 0];
      const onAnswer = (answer: Response) => {
        if (answer.ok() && isCall(answer.request(), path)) succeeded += 1;
      };
      await kim.route('**', (route) => {
        if (failed > 0 || !isCall(route.request(), path)) return route.fallback();
        failed += 1;
        return fail(route);
      });
      kim.on('response', onAnswer);
      await kim.goto(admin.baseUrl + path);
      const causeUntil = (what: string, isOver: () => boolean) =>
        eventually(`${script}: ${what} ${how}`, async () => {
          if (isOver()) return true;
          await cause();
          return isOver();
        });
      await causeUntil(`${call}, which fails`, () => failed > 0);
      await causeUntil(`${call} after it failed`, () => succeeded > 0);
      await end?.();
      kim.off('response', onAnswer);
      await kim.unroute('**');
    }
  assert.deepEqual(
    kim.faults.splice(0).filter((fault) => !fault.startsWith('Failed to load resource')),
    [],
  );
});

test('[INBOX-2] a reader of older messages stays there and sees that a new message arrived', async () => {
  const chain = await desk.receive('The first of many');
  const parent = await api.as('parent');
  for (let number = 0; number < 30; number++) await parent.form(`/api/messages/${chain}`, { message: `Line ${number}` });
  await openLive(kim, `/messages/${chain}`);
  const first = kim.locator('.bubble', { hasText: 'The first of many' });
  await first.scrollIntoViewIfNeeded();
  const before = await first.boundingBox();
  await parent.form(`/api/messages/${chain}`, { message: 'The newest of all' });
  const button = kim.getByRole('button', { name: 'New message' });
  await button.waitFor();
  assert.deepEqual(await first.boundingBox(), before);
  await button.click();
  await kim.locator('.bubble', { hasText: 'The newest of all' }).waitFor();
  await button.waitFor({ state: 'hidden' });
});

test('[INBOX-2] the inbox can be used with the keyboard, and new conversations appear at its top', async () => {
  const older = await desk.receive('The older one', 'Older');
  await openLive(kim, '/messages');
  const newer = await desk.receive('The newer one', 'Newer');
  await kim.locator('li:first-child > a', { hasText: 'Newer' }).waitFor();
  await kim.keyboard.press('j');
  await kim.locator(`a[data-chain="${newer}"]:focus`).waitFor();
  await kim.keyboard.press('j');
  await kim.locator(`a[data-chain="${older}"]:focus`).waitFor();
  await kim.keyboard.press('u');
  await kim.locator(`a[data-chain="${older}"]:not(.is-unread)`).waitFor();
  await kim.keyboard.press('e');
  // The row was replaced and still has the focus.
  await kim.locator(`a[data-chain="${older}"].is-closed:focus`).waitFor();
  await kim.keyboard.press('?');
  await kim.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  await assertAccessible(kim, 'the inbox with its keys');
  await kim.keyboard.press('Escape');
  await kim.keyboard.press('/');
  await kim.keyboard.type('older');
  await kim.keyboard.press('Enter');
  await kim.waitForURL('**/messages?*q=older*');
  await kim.locator('mark', { hasText: 'Older' }).first().waitFor();
  await kim.keyboard.press('j');
  await kim.keyboard.press('r');
  await kim.waitForURL(`**/messages/${older}#reply`);
  await kim.locator('#reply:focus').waitFor();

  // People who use speech input turn single keys off, because it can press them by mistake.
  await kim.goto(`${admin.baseUrl}/account`);
  await kim.getByRole('checkbox', { name: /^Use keyboard shortcuts/ }).uncheck();
  await openLive(kim, '/messages');
  for (const key of ['j', 'u', '?']) await kim.keyboard.press(key);
  assert.equal(await kim.evaluate('document.activeElement.dataset.chain'), undefined);
  assert.equal(await kim.getByRole('dialog', { name: 'Keyboard' }).count(), 0);
  await kim.goto(`${admin.baseUrl}/account`);
  await kim.getByRole('checkbox', { name: /^Use keyboard shortcuts/ }).check();
  await openLive(kim, '/messages');
  await kim.keyboard.press('?');
  await kim.getByRole('dialog', { name: 'Keyboard' }).waitFor();
  assert.deepEqual(kim.faults, []);
});

test('[FILE-10] files that are chosen, dropped, or pasted later join the attached ones, and all are sent', async () => {
  const chain = await desk.receive('A question about papers');
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
  /** Sends an event with a file, as a browser does when it is dropped on an element or pasted into it. */
  const bring = async (kind: 'drop' | 'paste', selector: string, name: string) => {
    const type = kind === 'drop' ? ['DragEvent', 'dataTransfer'] : ['ClipboardEvent', 'clipboardData'];
    await kim.evaluate(`{
      const transfer = new DataTransfer();
      transfer.items.add(new File(['${name}'], '${name}', { type: 'text/plain' }));
      const options = { bubbles: true, cancelable: true, ${type[1]}: transfer };
      document.querySelector('${selector}').dispatchEvent(new ${type[0]}('${kind}', options));
    }`);
  };
  for (const [path, field, button] of [
    [`/messages/${chain}`, '#reply', 'Send reply'],
    ['/messages/new?case_id=1', '#message', 'Send message'],
  ] as const) {
    await openLive(kim, path);
    const input = kim.locator('#files');
    const names = () => kim.locator('.file-chip > span:first-child').allTextContents();
    await input.setInputFiles([file('one.txt'), file('two.txt')]);
    await input.setInputFiles(file('three.txt'));
    await bring('drop', field, 'four.txt');
    await bring('paste', field, 'five.txt');
    assert.deepEqual(await names(), ['one.txt', 'two.txt', 'three.txt', 'four.txt', 'five.txt'], path);
    await kim.getByRole('button', { name: 'Remove two.txt' }).click();
    await input.setInputFiles(file('six.txt'));
    if (path !== `/messages/${chain}`) await kim.locator('[name=recipients]').first().check();
    await kim.locator(field).fill('With papers');
    await kim.getByRole('button', { name: button }).click();
    await kim.waitForURL('**/messages/*#message-*');
    const { rows } = await admin.pool.query(
      'select filename from message_file where message_id = (select max(id) from message) order by 1',
    );
    const sent = rows.map(({ filename }) => filename);
    assert.deepEqual(sent, ['five.txt', 'four.txt', 'one.txt', 'six.txt', 'three.txt'], path);
  }
  assert.deepEqual(kim.faults, []);
});

test('[OUTBOX-3] drafts survive a reload, one for the reply and one for the note, until they are sent', async () => {
  const chain = await desk.receive('A question that takes thought');
  await openLive(kim, `/messages/${chain}`);
  const reply = kim.getByLabel('Your reply');
  const note = kim.getByLabel('Your internal note');
  await reply.fill('Half an answer');
  await kim.keyboard.press('Escape');
  await kim.keyboard.press('n');
  await note.fill('Half a note');
  await kim.reload();
  assert.equal(await reply.inputValue(), 'Half an answer');
  await kim.getByRole('link', { name: 'Internal note Draft' }).click();
  assert.equal(await note.inputValue(), 'Half a note');
  await kim.getByRole('link', { name: 'Reply Draft' }).click();
  await reply.press('Control+Enter');
  await kim.locator('.bubble', { hasText: 'Half an answer' }).waitFor();
  // The stream may deliver the message before the answer to the form arrives.
  await eventually('the reply is empty', async () => (await reply.inputValue()) === '');
  await kim.getByRole('link', { name: 'Internal note Draft' }).waitFor();
  assert.deepEqual(kim.faults, []);
});

test('[OUTBOX-3] a draft stays until its message has arrived, also when its form is lost', async () => {
  const chain = await desk.receive('A question on a bad line');
  await openLive(kim, `/messages/${chain}`);
  const reply = kim.getByLabel('Your reply');
  await reply.fill('The first answer');
  await kim.getByRole('button', { name: 'Send reply' }).click();
  // The address still names the first message, which must not count as the arrival of the second.
  await kim.waitForURL(`**/messages/${chain}#message-*`);
  await eventually('the reply is empty', async () => (await reply.inputValue()) === '');
  await reply.fill('The second answer');
  await loseForm(kim, 'Send reply');
  await kim.reload();
  assert.equal(await reply.inputValue(), 'The second answer');

  const note = kim.getByLabel('Your internal note');
  await kim.getByRole('link', { name: 'Internal note' }).click();
  await note.fill('By phone, then');
  await loseForm(kim, 'Add note');
  await kim.goto(`${admin.baseUrl}/messages/${chain}?write=note`);
  assert.equal(await note.inputValue(), 'By phone, then');
  await kim.getByRole('button', { name: 'Add note' }).click();
  await kim.waitForURL(`**/messages/${chain}?write=note#note-*`);
  await kim.reload();
  assert.deepEqual([await note.inputValue(), await reply.inputValue()], ['', 'The second answer']);

  await kim.goto(`${admin.baseUrl}/messages/new?case_id=1`);
  const message = kim.getByLabel('Message', { exact: true });
  await kim.locator('[name=recipients]').first().check();
  await message.fill('To begin with');
  await loseForm(kim, 'Send message');
  await kim.reload();
  assert.equal(await message.inputValue(), 'To begin with');
  await kim.locator('[name=recipients]').first().check();
  await kim.getByRole('button', { name: 'Send message' }).click();
  await kim.locator('.bubble', { hasText: 'To begin with' }).waitFor();
  await kim.goto(`${admin.baseUrl}/messages/new?case_id=1`);
  assert.equal(await message.inputValue(), '');
});

test('[OUTBOX-1] a message whose answer was lost is sent again as a repeat, and another text as a new message', async () => {
  const chain = await desk.receive('A question on a worse line');
  const texts = async (table: 'message' | 'chain_note', column: 'message' | 'note') => {
    const { rows } = await admin.pool.query(
      `select ${column} as text from ${table} where chain_id = $1 and ${table === 'message' ? 'from_id' : 'author_id'} = $2 order by id`,
      [chain, desk.escrow.id],
    );
    return rows.map(({ text }) => text);
  };
  // This form is sent to the address of its own page, so there is no entry in the history to go back to.
  await openLive(kim, `/messages/${chain}?write=reply`);
  const reply = kim.getByLabel('Your reply');
  await reply.fill('The only answer');
  await loseAnswer(kim, 'Send reply');
  await kim.locator('.bubble', { hasText: 'The only answer' }).waitFor();
  assert.equal(await reply.inputValue(), 'The only answer', 'the page does not know that it arrived');
  await kim.getByRole('button', { name: 'Send reply' }).click();
  await kim.waitForURL(`**/messages/${chain}#message-*`);
  await eventually('the reply is empty', async () => (await reply.inputValue()) === '');
  assert.deepEqual(await texts('message', 'message'), ['The only answer']);

  // The same text once more, and a text that differs from the lost one, are separate messages.
  await reply.fill('The only answer');
  await loseAnswer(kim, 'Send reply');
  await kim.goto(`${admin.baseUrl}/messages/${chain}`);
  await reply.fill('The only answer, and more');
  await kim.getByRole('button', { name: 'Send reply' }).click();
  await kim.waitForURL(`**/messages/${chain}#message-*`);
  assert.deepEqual(await texts('message', 'message'), ['The only answer', 'The only answer', 'The only answer, and more']);

  const note = kim.getByLabel('Your internal note');
  await kim.getByRole('link', { name: 'Internal note' }).click();
  await note.fill('By letter, then');
  await loseAnswer(kim, 'Add note');
  await kim.goto(`${admin.baseUrl}/messages/${chain}?write=note`);
  assert.equal(await note.inputValue(), 'By letter, then');
  await kim.getByRole('button', { name: 'Add note' }).click();
  await kim.waitForURL(`**/messages/${chain}?write=note#note-*`);
  assert.deepEqual(await texts('chain_note', 'note'), ['By letter, then']);

  await kim.goto(`${admin.baseUrl}/messages/new?case_id=1`);
  const message = kim.getByLabel('Message', { exact: true });
  await kim.locator('[name=recipients]').first().check();
  await message.fill(`To begin with ${chain}`);
  await loseAnswer(kim, 'Send message');
  await kim.reload();
  await kim.locator('[name=recipients]').first().check();
  await kim.getByRole('button', { name: 'Send message' }).click();
  await kim.locator('.bubble', { hasText: `To begin with ${chain}` }).waitFor();
  const { rows } = await admin.pool.query('select from message where message = $1', [`To begin with ${chain}`]);
  assert.equal(rows.length, 1);
});

test('[OUTBOX-3] signing out deletes the drafts of this browser only after the session has ended', async () => {
  const drafts = () => lee.evaluate<string[]>("Object.keys(localStorage).filter((key) => key.startsWith('draft:'))");
  const chain = await desk.receive('One more question');
  await openLive(lee, `/messages/${chain}`);
  await lee.getByLabel('Your reply').fill('Not yet an answer');
  await loseForm(lee, 'Sign out');
  assert.equal(await lee.getByLabel('Your reply').inputValue(), 'Not yet an answer');
  assert.notDeepEqual(await drafts(), []);
  await lee.getByRole('button', { name: 'Sign out' }).click();
  await lee.waitForURL('**/login');
  await eventually('they are gone', async () => (await drafts()).length === 0);
});
