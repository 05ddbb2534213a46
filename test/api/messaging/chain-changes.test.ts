import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findActiveUserById } from '@case-platform/modules/accounts';
import { addNote, leaveChainsOfCase, listNotes } from '@case-platform/modules/messaging';
import { samplePdf } from '../../../scripts/demo/sample-files.ts';
import { CASE_1, CASE_3 } from '../../support/cast.ts';
import { grant } from '../../support/grant.ts';
import { type Client, startApi } from '../../support/platform.ts';
import { spreadIds } from '../../support/written-values.ts';

const api = await startApi();
// A route that mixes up two ids finds nothing.
await spreadIds(api);
await grant(api.pool, 'viewer', 'view_messages');
const { parent, surrogate, manager, escrow, viewer, finance, root, bothSurrogate: stranger } = await api.everyone();

// Conversations are assigned only to admins who may read them (CHAIN-15), so the demo's viewer gets the permission.
await api.pool.query(
  `insert into admin_role_permission (admin_role_id, permission)
   select admin_role_id, 'view_messages' from user_account where id = $1 on conflict do nothing`,
  [viewer.userId],
);

const patch = (who: Client, chainId: number, body: object) =>
  who.call('PATCH', `/api/messages/${chainId}`, {
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
const retract = (who: Client, chainId: number, messageId: number) => who.call('DELETE', `/api/messages/${chainId}/${messageId}`);
const unread = async (who: Client): Promise<number> => (await who.get('/api/messages/unread/count')).body.unread_count;
const find = async (who: Client, query: string): Promise<number[]> =>
  (await who.get(`/api/messages?limit=100&${query}`)).body.data.map((chain: { id: number }) => chain.id);

async function start(who: Client, fields: Record<string, string>, files: Parameters<Client['form']>[2] = []) {
  const { status, body } = await who.form('/api/messages', fields, files);
  assert.equal(status, 201, JSON.stringify(body));
  return { chainId: body.chain.id as number, messageId: body.message.id as number };
}

const toSurrogate = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);

describe('[CHAIN-14] PATCH /api/messages/{chain_id}', () => {
  test('[CHAIN-14, LAYER-5] with reassign_threads, which the API looks up itself, a conversation goes to another admin, who then sees it', async () => {
    const before = await unread(viewer);
    const { chainId } = await start(parent, { message: 'Hello', case_id: String(CASE_1) });
    assert.equal((await viewer.get(`/api/messages/${chainId}`)).status, 404);
    const { status, body } = await patch(escrow, chainId, { assigned_admin_id: viewer.userId });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.chain.assigned_admin_id, viewer.userId);
    assert.equal((await viewer.get(`/api/messages/${chainId}`)).status, 200);
    assert.equal(await unread(viewer), before + 1);
    const { rows } = await api.pool.query(
      `select actor_id, action, before, after from audit_entry where subject_type = 'chain' and subject_id = $1`,
      [chainId],
    );
    assert.deepEqual(rows, [
      {
        actor_id: escrow.userId,
        action: 'chain.assign',
        before: { assigned_admin_id: escrow.userId, status: 'open' },
        after: { assigned_admin_id: viewer.userId, status: 'open' },
      },
    ]);
  });

  test('null returns it to the queue of admins who may reassign', async () => {
    const lonely = await api.as('totp');
    const { chainId } = await start(lonely, { message: 'Hello', case_id: String(CASE_3) });
    assert.ok((await find(root, '')).includes(chainId), 'in the queue');
    assert.equal((await patch(root, chainId, { assigned_admin_id: root.userId })).status, 200);
    assert.ok(!(await find(escrow, '')).includes(chainId), 'taken');
    assert.equal((await patch(root, chainId, { assigned_admin_id: null })).body.chain.assigned_admin_id, null);
    assert.ok((await find(escrow, '')).includes(chainId), 'in the queue again');
  });

  test('an admin who assigns away their last reason to see a conversation gets the result, and then no longer sees it', async () => {
    const lonely = await api.as('totp');
    const { chainId } = await start(lonely, { message: 'Hello', case_id: String(CASE_3) });
    const given = await patch(root, chainId, { assigned_admin_id: viewer.userId });
    assert.deepEqual([given.status, given.body.chain.assigned_admin_id], [200, viewer.userId]);
    assert.equal((await root.get(`/api/messages/${chainId}`)).status, 404);
    assert.equal((await patch(root, chainId, { status: 'closed' })).status, 404);
  });

  test('a conversation is closed, and a reply reopens it', async () => {
    const { chainId } = await start(parent, { message: 'Hello', case_id: String(CASE_1) });
    assert.equal((await patch(escrow, chainId, { status: 'closed' })).body.chain.status, 'closed');
    assert.ok((await find(parent, 'status=closed')).includes(chainId));
    await parent.form(`/api/messages/${chainId}`, { message: 'One more thing' });
    assert.ok((await find(parent, 'status=open')).includes(chainId));
  });

  test('[CHAIN-15] a closed account gets no conversation: the answer says that it is not an active member of staff', async () => {
    const { chainId } = await start(parent, { message: 'Hello', case_id: String(CASE_1) });
    const setStatus = (status: string) =>
      api.pool.query('update user_account set status = $2 where id = $1', [viewer.userId, status]);
    await setStatus('deactivated');
    const { status, body } = await patch(escrow, chainId, { assigned_admin_id: viewer.userId });
    await setStatus('active');
    assert.equal(status, 422);
    assert.match(JSON.stringify(body), /Choose a colleague with an active account/);
  });

  test('a change is rejected and nothing is written without the permission, for people who are not staff, and for foreign or invalid values', async () => {
    const { chainId } = await start(parent, { message: 'Hello', case_id: String(CASE_1) });
    await patch(escrow, chainId, { assigned_admin_id: viewer.userId });
    const cases: [Client, number, object, number][] = [
      [viewer, chainId, { assigned_admin_id: escrow.userId }, 403],
      [parent, chainId, { status: 'closed' }, 403],
      [parent, chainId, { assigned_admin_id: parent.userId }, 403],
      [escrow, 999_999, { status: 'closed' }, 404],
      [escrow, chainId, {}, 422],
      [escrow, chainId, { status: 'archived' }, 422],
      [escrow, chainId, { assigned_admin_id: parent.userId }, 422],
      [escrow, chainId, { assigned_admin_id: finance.userId }, 422],
      [escrow, chainId, { assigned_admin_id: 999_999 }, 422],
      [escrow, chainId, { assigned_admin_id: 'me' }, 422],
    ];
    for (const [who, id, body, status] of cases) {
      assert.equal((await patch(who, id, body)).status, status, JSON.stringify(body));
    }
    const { chain } = (await viewer.get(`/api/messages/${chainId}`)).body;
    assert.deepEqual([chain.assigned_admin_id, chain.status], [viewer.userId, 'open']);
  });
});

describe('taking a message back', () => {
  test('[MESSAGE-6] a message that is taken back keeps who and when; its files’ URLs stop working, and no one is notified', async () => {
    const before = await unread(surrogate);
    const file = { name: 'wrong.pdf', type: 'application/pdf', content: samplePdf('Wrong') };
    const { chainId, messageId } = await start(
      parent,
      { message: 'Not for you, zebrafish', case_id: String(CASE_1), recipients: toSurrogate },
      [file],
    );
    assert.equal(await unread(surrogate), before + 1);
    const { url } = (await surrogate.get(`/api/messages/${chainId}`)).body.messages.data[0].files[0];
    assert.equal((await fetch(url)).status, 200, 'control');
    const answer = await retract(parent, chainId, messageId);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    for (const who of [parent, surrogate, escrow]) {
      const { chain, messages } = (await who.get(`/api/messages/${chainId}`)).body;
      const { message, files, retracted_at, from_id } = messages.data[0];
      assert.deepEqual([message, files, from_id], ['', [], parent.userId]);
      assert.ok(!Number.isNaN(Date.parse(retracted_at)));
      assert.equal(chain.last_message.preview, '');
      assert.ok(!(await find(who, 'q=zebrafish')).includes(chainId));
    }
    assert.equal(await unread(surrogate), before);
    const { messageId: other } = await start(parent, {
      message: 'For you',
      case_id: String(CASE_1),
      recipients: toSurrogate,
    });
    await api.work();
    assert.equal((await fetch(url)).status, 404);
    const countMails = async (id: number) =>
      (await api.pool.query(`select from delivery where delivery_key like $1`, [`message:${id}:%`])).rowCount ?? 0;
    assert.equal(await countMails(messageId), 0);
    assert.ok((await countMails(other)) > 0, 'one that stays is announced');
    await surrogate.post(`/api/messages/${(await surrogate.get('/api/messages')).body.data[0].id}/viewed`, {});
    assert.equal((await retract(parent, chainId, messageId)).status, 200, 'again: nothing more happens');
    const audit = await api.pool.query(`select after from audit_entry where action = 'message.retract' and subject_id = $1`, [
      messageId,
    ]);
    assert.deepEqual(audit.rows, [{ after: { files_removed: 1 } }]);
  });

  test("[MESSAGE-6] another person's message, or one of another conversation, is a 404; one of yesterday a 409", async () => {
    const { chainId, messageId } = await start(parent, {
      message: 'It stays',
      case_id: String(CASE_1),
      recipients: toSurrogate,
    });
    const { chainId: other } = await start(parent, { message: 'Another', case_id: String(CASE_1) });
    for (const who of [surrogate, escrow, stranger]) assert.equal((await retract(who, chainId, messageId)).status, 404);
    assert.equal((await retract(parent, other, messageId)).status, 404);
    await api.pool.query(`update message set created_at = now() - interval '25 hours' where id = $1`, [messageId]);
    const late = await retract(parent, chainId, messageId);
    assert.deepEqual([late.status, late.body.code], [409, 'too_late']);
    assert.equal((await parent.get(`/api/messages/${chainId}`)).body.messages.data[0].message, 'It stays');
  });
});

test('[UNREAD-6] a conversation marked as unread has the newest message to me unread again, for me only', async () => {
  const group = JSON.stringify([
    { user_type: 'surrogate', user_id: surrogate.userId },
    { user_type: 'case_manager', user_id: manager.userId },
  ]);
  const { chainId } = await start(escrow, { message: 'To both', case_id: String(CASE_1), recipients: group });
  for (const who of [surrogate, manager]) await who.post(`/api/messages/${chainId}/viewed`, {});
  const [ofSurrogate, ofManager] = [await unread(surrogate), await unread(manager)];
  assert.deepEqual((await surrogate.post(`/api/messages/${chainId}/unread`)).body, { unread_count: 1 });
  assert.deepEqual([await unread(surrogate), await unread(manager)], [ofSurrogate + 1, ofManager]);
  assert.ok((await find(surrogate, 'unread=true')).includes(chainId));
  assert.deepEqual((await escrow.post(`/api/messages/${chainId}/unread`)).body, { unread_count: 0 }, 'an own message');
  await surrogate.form(`/api/messages/${chainId}`, { message: 'Back to you' });
  await escrow.post(`/api/messages/${chainId}/viewed`, {});
  assert.deepEqual((await escrow.post(`/api/messages/${chainId}/unread`)).body, { unread_count: 1 });
  assert.equal((await stranger.post(`/api/messages/${chainId}/unread`)).status, 404);
});

describe('notes among staff', () => {
  test('[MESSAGE-7] notes are read by admins who see the conversation, and no one else learns of them', async () => {
    const { chainId } = await start(parent, { message: 'Hello', case_id: String(CASE_1), recipients: toSurrogate });
    const before = (await parent.get(`/api/messages/${chainId}`)).body;
    const added = await escrow.post(`/api/messages/${chainId}/notes`, { note: '  Call the clinic, walrus  ' });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const { created_at, id, author_name, ...note } = added.body;
    assert.deepEqual(note, { chain_id: chainId, author_id: escrow.userId, note: 'Call the clinic, walrus' });
    assert.ok(id > 0 && author_name.length > 0 && created_at.length > 0);
    assert.deepEqual((await escrow.get(`/api/messages/${chainId}/notes`)).body.data, [added.body]);
    for (const who of [parent, surrogate]) {
      assert.equal((await who.get(`/api/messages/${chainId}/notes`)).status, 403);
      assert.equal((await who.post(`/api/messages/${chainId}/notes`, { note: 'x' })).status, 403);
      assert.ok(!(await find(who, 'q=walrus')).includes(chainId));
      assert.doesNotMatch(JSON.stringify((await who.get(`/api/messages/${chainId}`)).body), /walrus/);
    }
    assert.deepEqual((await parent.get(`/api/messages/${chainId}`)).body.chain, before.chain, 'not even activity');
    assert.equal((await viewer.get(`/api/messages/${chainId}/notes`)).status, 404);
    await api.work();
    const countHolding = async (words: string) =>
      (await api.pool.query(`select from delivery where content::text like '%' || $1 || '%'`, [words])).rowCount ?? 0;
    assert.equal(await countHolding('walrus'), 0);
    assert.ok((await countHolding(`/messages/${chainId}`)) > 0, 'what is mailed about the conversation is there');
  });

  test('[MESSAGE-7] behind the guard, members of the conversation read no notes and write none', async () => {
    const { chainId } = await start(parent, { message: 'Hello', case_id: String(CASE_1), recipients: toSurrogate });
    for (const who of [parent, surrogate]) {
      const user = await findActiveUserById(api.db, who.userId);
      assert.ok(user);
      await assert.rejects(listNotes(api.db, user, chainId), { message: 'Notes are for staff.' });
      await assert.rejects(addNote(api.db, user, chainId, { note: 'x' }), { message: 'Notes are for staff.' });
    }
  });

  test('[IDEMPOTENCY-1] a repeated request with an Idempotency-Key adds one note', async () => {
    const { chainId } = await start(parent, { message: 'Hello', case_id: String(CASE_1) });
    const send = () => escrow.post(`/api/messages/${chainId}/notes`, { note: 'Once' }, { 'idempotency-key': `n${chainId}` });
    const answers = [await send(), await send()];
    assert.deepEqual(answers[0]?.body, answers[1]?.body);
    assert.equal((await escrow.get(`/api/messages/${chainId}/notes`)).body.data.length, 1);
    for (const note of ['', '   ', 'x'.repeat(10_001)]) {
      assert.equal((await escrow.post(`/api/messages/${chainId}/notes`, { note })).status, 422);
    }
  });
});

test('[CHAIN-16] a person who leaves the case loses its conversations at once: list, search, files, and counts', async () => {
  const { chainId } = await start(parent, {
    message: 'Soon unseen, marmot',
    case_id: String(CASE_1),
    recipients: toSurrogate,
  });
  assert.ok((await find(surrogate, 'q=marmot')).includes(chainId));
  const before = await unread(surrogate);
  await api.db.transaction((tx) => leaveChainsOfCase(tx, CASE_1, surrogate.userId));
  assert.ok(before > 0);
  assert.equal(await unread(surrogate), 0);
  assert.deepEqual(await find(surrogate, 'q=marmot'), []);
  assert.equal((await surrogate.get(`/api/messages/${chainId}`)).status, 404);
  assert.equal((await surrogate.form(`/api/messages/${chainId}`, { message: 'Still here?' })).status, 404);
  assert.equal((await surrogate.post(`/api/messages/${chainId}/viewed`, {})).status, 404);
});
