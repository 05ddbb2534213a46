import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startChain } from '@case-platform/modules/messaging';
import { samplePdf } from '../../../scripts/demo/sample-files.ts';
import { CASE_1, type CastName } from '../../support/cast.ts';
import { startAdmin } from '../start-admin.ts';

const admin = await startAdmin();
const escrow = await admin.as('escrow');

async function idOf(email_address: string, user_type: string): Promise<number> {
  const statement = 'select id from user_account where email_address = $1 and user_type = $2';
  return (await admin.pool.query(statement, [email_address, user_type])).rows[0].id;
}

/** Sends a message of a parent to the escrow specialist of case 1. @returns the id of the conversation. */
async function receive(message: string, subject = ''): Promise<number> {
  const id = await idOf('parent@demo.test', 'ip');
  const { rows } = await admin.pool.query('select * from user_account where id = $1', [id]);
  const sent = await startChain(admin, rows[0], { message, subject, case_id: CASE_1, files: [] });
  return sent.chain_id;
}

const unreadIn = async (name: CastName) =>
  Number(/data-count="(\d+)"/.exec((await (await admin.as(name)).get('/messages/unread-badge')).text)?.[1]);

test('[UNREAD-2, CHAIN-13] a new message is unread in the inbox; opening it changes nothing, viewing it does', async () => {
  const chain = await receive('When does the first payment reach us?', 'First payment');
  const inbox = await escrow.get('/messages');
  assert.match(inbox.text, /is-unread[^>]*href="\/messages\/\d+"/);
  assert.match(inbox.text, /First payment/);
  const before = await unreadIn('escrow');
  const page = await escrow.get(`/messages/${chain}`);
  assert.match(page.text, /When does the first payment reach us\?/);
  assert.equal(await unreadIn('escrow'), before);
  const upTo = /name="up_to_message_id" value="(\d+)"/.exec(page.text)?.[1] ?? '';
  const viewed = await escrow.post(`/messages/${chain}/viewed`, { up_to_message_id: upTo }, { 'hx-request': 'true' });
  assert.deepEqual([viewed.status, viewed.headers.get('hx-trigger')], [204, 'viewed']);
  assert.equal(await unreadIn('escrow'), before - 1);
  assert.doesNotMatch((await escrow.get(`/messages/${chain}`)).text, /up_to_message_id/);
});

test('[MESSAGE-9] people’s words are shown as text everywhere', async () => {
  const markup = '<script>alert(1)</script><img src=x onerror="alert(1)">';
  const chain = await receive(markup, `"><script>alert(2)</script>`);
  for (const path of [`/messages/${chain}`, '/messages', '/', '/cases/1', `/messages?q=${encodeURIComponent(markup)}`]) {
    const { text } = await escrow.get(path);
    assert.doesNotMatch(text, /<script>alert|<img src=x/, path);
  }
  assert.match((await escrow.get(`/messages/${chain}`)).text, /&#60;script&#62;alert\(1\)&#60;\/script&#62;/);
});

test('[MESSAGE-4] a reply with a file is sent once, and is at the end of the conversation', async () => {
  const chain = await receive('A question');
  const fields = { message: '  The answer.\n ', idempotency_key: 'key-of-this-form' };
  const file = { name: 'Über das Konto.pdf', type: 'application/pdf', content: samplePdf('Account') };
  const [first, second] = [
    await escrow.upload(`/messages/${chain}`, fields, [file]),
    await escrow.upload(`/messages/${chain}`, fields, [file]),
  ];
  assert.deepEqual([first.status, second.status], [303, 303]);
  assert.match(first.location ?? '', new RegExp(`^/messages/${chain}#message-\\d+$`));
  assert.equal(second.location, first.location);
  const { text } = await escrow.get(`/messages/${chain}`);
  assert.equal(text.match(/class="bubble" dir="auto">The answer\.<\/div>/g)?.length, 1);
  const url = /class="attachment-tile" href="([^"]+)"/.exec(text)?.[1] ?? '';
  const download = await fetch(url.replaceAll('&#38;', '&').replaceAll('&#61;', '='));
  assert.deepEqual([download.status, Buffer.from(await download.arrayBuffer()).equals(file.content)], [200, true]);
  assert.match(download.headers.get('content-disposition') ?? '', /^attachment/);
});

test('[MESSAGE-7, CHAIN-13] each note is on one page of a long conversation', async () => {
  const chain = await receive('Message 0');
  const author = await idOf('escrow@demo.test', 'admin');
  const MESSAGES = 120;
  await admin.pool.query(`update message set created_at = '2023-01-01' where chain_id = $1`, [chain]);
  await admin.pool.query(
    `insert into message (chain_id, from_id, from_type, to_admin, message, admin_viewed, created_at)
     select chain_id, from_id, from_type, true, 'Message ' || at, now(), '2023-01-01'::timestamptz + at * interval '1 hour'
       from message, generate_series(1, $2::int - 1) at where chain_id = $1`,
    [chain, MESSAGES],
  );
  // One note before each message, one at the same time, and one after the last.
  await admin.pool.query(
    `insert into chain_note (chain_id, author_id, note, created_at)
     select $1::bigint, $2::bigint, word || at || '.', '2023-01-01'::timestamptz + (at + shift) * interval '1 hour'
       from generate_series(0, $3::int) at, (values ('Note ', -0.5), ('Beside ', 0)) kind (word, shift)
      where at < $3 or shift < 0
     order by 4`,
    [chain, author, MESSAGES],
  );
  const pages: string[][] = [];
  let path = `/messages/${chain}`;
  while (path !== '') {
    const { text } = await escrow.get(path);
    const bubbles = [...text.matchAll(/class="bubble" dir="auto">(Message \d+|(?:Note|Beside) \d+\.)</g)].map(
      ([, words = '']) => words,
    );
    pages.unshift(bubbles);
    path = /href="(\/messages\/\d+\?cursor[^"]+)"/.exec(text)?.[1]?.replaceAll('&#61;', '=') ?? '';
  }
  assert.equal(pages.length, Math.ceil(MESSAGES / 50));
  const all = Array.from({ length: MESSAGES }, (_, at) => [`Note ${at}.`, `Message ${at}`, `Beside ${at}.`]).flat();
  assert.deepEqual(pages.flat(), [...all, `Note ${MESSAGES}.`]);
  for (const page of pages)
    assert.match(page[0] ?? '', /^(Note|Beside)/, 'a page begins with the notes before its first message');
});

test('[MESSAGE-4] a reply without files may come as a plain form', async () => {
  const chain = await receive('Another question');
  assert.equal((await escrow.post(`/messages/${chain}`, { message: 'Plain.' })).status, 303);
});

test('[MESSAGE-10] a reply that cannot be sent comes back with its text and the reason', async () => {
  const chain = await receive('A question');
  const pdf = (content: Buffer) => ({ name: 'a.pdf', type: 'application/pdf', content });
  const refused: [string, Parameters<typeof escrow.upload>[2], number, RegExp][] = [
    [' ', [], 422, /Write a message/],
    ['x'.repeat(10_001), [], 422, /up to 10,000 characters/],
    ['Kept text', [pdf(Buffer.from('<html>'))], 422, /isn’t the kind of file its name says/],
    ['Kept text', [pdf(Buffer.alloc(25 * 1024 * 1024 + 1, 'x'))], 413, /up to 25 Mi?B/],
    ['Kept text', Array.from({ length: 11 }, () => pdf(samplePdf('x'))), 422, /up to 10 files/],
    ['Kept text', Array.from({ length: 3 }, () => pdf(Buffer.alloc(17 * 1024 * 1024))), 413, /together can be up to 50 Mi?B/],
    ['Kept text', Array.from({ length: 11 }, () => pdf(Buffer.alloc(5 * 1024 * 1024))), 422, /up to 10 files/],
  ];
  for (const [message, files, status, words] of refused) {
    const page = await escrow.upload(`/messages/${chain}`, { message }, files);
    assert.equal(page.status, status, `${words}`);
    assert.match(page.text, words);
    if (message === 'Kept text') assert.match(page.text, />Kept text<\/textarea>/);
  }
  assert.doesNotMatch((await escrow.get(`/messages/${chain}`)).text, /Kept text/);
});

test('[CHAIN-2, ERROR-2] a conversation that an admin may not see is a 404', async () => {
  const chain = await receive('For the escrow specialist');
  for (const name of ['viewer', 'finance'] as const) {
    // A role without `view_messages` sees that conversations are closed, and not which ones exist (SHOWN-1).
    for (const path of [`/messages/${chain}`, '/messages/999999']) {
      const page = await (await admin.as(name)).get(path);
      assert.deepEqual([page.status, page.text.includes('For the escrow')], [200, false], name);
      assert.match(page.text, /Your role can’t see conversations/);
    }
  }
  const root = await admin.as('root');
  assert.equal((await root.get(`/messages/${chain}`)).status, 404);
  assert.equal((await root.post(`/messages/${chain}`, { message: 'Mine now' })).status, 404);
  assert.equal((await root.post(`/messages/${chain}/viewed`, { up_to_message_id: '1' })).status, 404);
});

test('[CHAIN-9] an admin starts a conversation with people of a case', async () => {
  const parent = await idOf('parent@demo.test', 'ip');
  const surrogate = await idOf('surrogate@demo.test', 'surrogate');
  assert.match((await escrow.get('/messages/new?case_id=1')).text, new RegExp(`value="ip:${parent}"`));
  const fields = {
    case_id: '1',
    subject: 'Welcome',
    message: 'Hello both.',
    recipients: [`ip:${parent}`, `surrogate:${surrogate}`],
  };
  const page = await escrow.upload('/messages', fields);
  assert.equal(page.status, 303);
  assert.match((await escrow.get(page.location ?? '')).text, /Hello both\./);
  const rejected = await escrow.upload('/messages', { ...fields, recipients: [] });
  assert.equal(rejected.status, 422);
  assert.match(rejected.text, />Hello both\.<\/textarea>/);
  assert.equal((await escrow.upload('/messages', { ...fields, recipients: ['ip:x'] })).status, 422);
  assert.equal((await escrow.upload('/messages', { ...fields, case_id: '3' })).status, 404);
});

test('[INBOX-1] the filters and pages of the inbox are in its address', async () => {
  for (let number = 0; number < 27; number++) await receive(`Number ${number} of many`, 'Paged');
  const first = await escrow.get('/messages?q=many');
  assert.equal(first.text.match(/class="list-row/g)?.length, 25);
  const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&#38;', '&').replaceAll('&#61;', '=') ?? '';
  assert.equal((await escrow.get(next)).text.match(/class="list-row/g)?.length, 2);
  assert.match((await escrow.get('/messages?q=nothinglikethis')).text, /No conversation matches/);
  assert.match((await escrow.get('/messages?status=closed')).text, /No conversations here/);
});
