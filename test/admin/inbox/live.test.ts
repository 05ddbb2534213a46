import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { replyToChain } from '@case-platform/modules/messaging';
import { EventReader } from '../../support/event-reader.ts';
import { startAdmin, type Visitor } from '../start-admin.ts';
import { messagesDesk } from './messages-desk.ts';

const admin = await startAdmin();
const desk = await messagesDesk(admin);
const [escrow, root] = [await admin.as('escrow'), await admin.as('root')];

/** Opens a stream and waits until it is caught up and has sent the unread count. */
async function follow(visitor: Visitor, baseUrl = admin.baseUrl): Promise<EventReader> {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const reader = await EventReader.open(`${baseUrl}/messages/events`, { cookie });
  assert.equal(reader.status, 200);
  await reader.next(({ event }) => event === 'unread');
  return reader;
}

describe('[LIVE-1] GET /messages/events', { timeout: 60_000 }, () => {
  test('says in which conversation someone wrote, and not what', async () => {
    const reader = await follow(escrow);
    const chain = await desk.receive('For your eyes in the page alone');
    const { data } = await reader.next(({ event }) => event === 'message');
    assert.deepEqual(data, { chain_id: chain, from_id: desk.parent.id });
    reader.close();
  });

  test('says that a conversation has changed: assigned, closed, a note, a message taken back', async () => {
    const chain = await desk.receive('To be changed');
    await escrow.post(`/messages/${chain}`, { message: 'To be taken back' });
    const own = await desk.newestIn(chain);
    const reader = await follow(root);
    const changes: [string, Record<string, string>][] = [
      ['status', { status: 'closed' }],
      ['assign', { admin_id: `${desk.root.id}` }],
      ['notes', { note: 'A note' }],
    ];
    for (const [path, fields] of changes) {
      await root.post(`/messages/${chain}/${path}`, fields);
      assert.deepEqual((await reader.next(({ event }) => event === 'chain')).data, { chain_id: chain }, path);
    }
    await escrow.post(`/messages/${chain}/messages/${own}/retract`);
    assert.deepEqual((await reader.next(({ event }) => event === 'chain')).data, { chain_id: chain }, 'retract');
    reader.close();
  });

  test('tells colleagues who is writing, and the writer nothing', async () => {
    const chain = await desk.receive('Who takes this?');
    const [own, theirs] = [await follow(escrow), await follow(root)];
    assert.equal((await escrow.post(`/messages/${chain}/writing`, { writing: 'novel' })).status, 422);
    assert.equal((await escrow.post(`/messages/${chain}/writing`, { writing: 'note' })).status, 204);
    const { data } = await theirs.next(({ event }) => event === 'writing');
    assert.deepEqual(data, { chain_id: chain, name: 'Elena Marsh', writing: 'note' });
    await replyToChain(admin, desk.parent, chain, { message: 'Anybody?', files: [] });
    const next = await own.next(({ event }) => event !== 'unread');
    assert.equal(next.event, 'message');
    own.close();
    theirs.close();
  });

  test('is closed to an admin who may not read messages', async () => {
    assert.equal((await (await admin.as('viewer')).get('/messages/events')).status, 403);
  });
});

test('[SESSION-2] requests that an open page makes by itself do not keep the session alive', async () => {
  let now = new Date();
  const later = await startAdmin({ now: () => now, database: admin });
  const [visitor, colleague] = [await later.as('escrow'), await later.as('root')];
  const chain = await desk.receive('Left open over lunch');
  const background = { 'x-background': '1' };
  now = new Date(now.getTime() + 50 * 60_000);
  for (const path of ['/messages', `/messages/${chain}`, '/messages/unread-badge']) {
    assert.equal((await visitor.get(path, background)).status, 200, path);
  }
  // The stream says by its route that it is no activity: a browser opens it again without a header. While it is open, the server
  // checks again and again whether its session has ended, in turn with the stream of someone whose session has, unannounced.
  const stream = await follow(visitor, later.baseUrl);
  const other = await follow(colleague, later.baseUrl);
  await later.pool.query(`update admin_session set last_active_at = '2026-01-01' where user_id = $1`, [desk.root.id]);
  await other.ended();
  const fields = { up_to_message_id: `${await desk.newestIn(chain)}` };
  assert.equal((await visitor.post(`/messages/${chain}/viewed`, fields, { ...background, 'hx-request': '1' })).status, 204);
  now = new Date(now.getTime() + 11 * 60_000);
  assert.equal((await visitor.get('/messages')).location, '/login?next=%2Fmessages');
  await stream.ended();
});
