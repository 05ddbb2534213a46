import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Page, startAdmin, type Visitor } from './start-admin.ts';

/** Limits of calls and messages in the staff application, checked at the limit and one step beyond. */

const MINUTE = 60_000;
let clock = Math.ceil(Date.now() / MINUTE) * MINUTE + 20_000;
const nextMinute = () => {
  clock += MINUTE;
};
const now = () => new Date(clock);

const isHeldBack = (page: Page) => {
  assert.deepEqual([page.status, page.headers.get('retry-after')], [429, '40']);
  return page.text;
};

test('[RATE-1, RATE-3] a person who exceeds the calls per minute with two sessions gets a page that says when to continue', async () => {
  const app = await startAdmin({ now, limits: { calls_person: 6 } });
  const sessions: Visitor[] = [];
  for (const _ of [1, 2]) {
    nextMinute();
    sessions.push(await app.as('escrow'));
  }
  nextMinute();
  for (let at = 0; at < 6; at += 1) assert.equal((await (sessions[at % 2] as Visitor).get('/account')).status, 200);
  for (const session of sessions) {
    const text = isHeldBack(await session.get('/account'));
    assert.match(text, /Please wait a moment/);
    assert.match(text, /Try again in 40 seconds/);
    const json = await session.call('GET', '/messages/unread-badge', { headers: { 'x-background': '1' } });
    assert.match(isHeldBack(json), /"code":"too_many_requests"/);
  }
  nextMinute();
  assert.equal((await (sessions[0] as Visitor).get('/account')).status, 200, 'and the session stands');
});

test('[RATE-1, RATE-2] calls of an address are limited per minute, and styles, scripts, and probes are not counted', async () => {
  const app = await startAdmin({ now, limits: { calls_address: 6 }, config: { trustProxy: '127.0.0.1' } });
  const visitor = app.visitor();
  nextMinute();
  const { text } = await visitor.get('/login');
  const asset = /"(\/public\/[^"]+)"/.exec(text)?.[1] ?? '';
  for (let at = 0; at < 8; at += 1) {
    assert.equal((await visitor.get(asset)).status, 200);
    assert.equal((await visitor.get('/health/live')).status, 200);
  }
  for (let at = 0; at < 5; at += 1) assert.equal((await visitor.get('/login')).status, 200);
  isHeldBack(await visitor.get('/login'));
  isHeldBack(await visitor.get('/nowhere'));
  nextMinute();
  assert.equal((await visitor.get('/login')).status, 200);
  // A customer has a whole network of IPv6 addresses, which count as one.
  const from = (address: string) => visitor.get('/login', { 'x-forwarded-for': address });
  for (let at = 0; at < 6; at += 1) assert.equal((await from(`2001:db8:1:2::${at}`)).status, 200);
  isHeldBack(await from('2001:db8:1:2:3:4:5:6'));
  assert.equal((await from('2001:db8:1:3::1')).status, 200);
});

test('[RATE-1, RATE-3] a person who exceeds the messages per minute gets their text back in the form', async () => {
  const app = await startAdmin({ now, limits: { messages: 2 } });
  const escrow = await app.as('escrow');
  const { rows } = await app.pool.query<{ id: number }>(
    `select id::int from user_account where email_address = 'parent@demo.test'`,
  );
  nextMinute();
  const first = await escrow.upload('/messages', {
    case_id: '1',
    subject: 'Papers',
    message: 'One',
    recipients: [`ip:${rows[0]?.id}`],
    idempotency_key: 'limit-one',
  });
  assert.equal(first.status, 303);
  const reply = (message: string) => escrow.upload(first.location ?? '', { message, idempotency_key: `limit-${message}` });
  assert.equal((await reply('Two')).status, 303);
  const text = isHeldBack(await reply('Three'));
  assert.match(text, /2 messages in a minute/);
  assert.match(text, />Three<\/textarea>/);
  nextMinute();
  assert.equal((await reply('Three')).status, 303);
  const { rows: messages } = await app.pool.query(`select count(*)::int as n from message where message = 'Three'`);
  assert.equal(messages[0].n, 1);
});
