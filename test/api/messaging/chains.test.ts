import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import { CASE_1, CASE_2 } from '../../support/cast.ts';
import { grant } from '../../support/grant.ts';
import { type Client, startApi } from '../../support/platform.ts';
import { runOverlapping } from '../../support/run-overlapping.ts';

const api = await startApi();
await grant(api.pool, 'viewer', 'view_messages');
const { parent, parent2, surrogate, manager, escrow, viewer, bothSurrogate: stranger } = await api.everyone();

const start = async (who: Client, fields: Record<string, string>) => {
  const answer = await who.form('/api/messages', fields);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
};
const to = (...people: [string, Client][]) =>
  JSON.stringify(people.map(([user_type, { userId }]) => ({ user_type, user_id: userId })));
const unread = async (who: Client): Promise<number> => (await who.get('/api/messages/unread/count')).body.unread_count;
const chainIds = async (who: Client): Promise<number[]> =>
  (await who.get('/api/messages?limit=100')).body.data.map((chain: { id: number }) => chain.id);

describe('seeing chains', () => {
  test('[CHAIN-1] a person who is not staff sees only conversations that they created or receive', async () => {
    const { chain } = await start(parent, { message: 'Private', case_id: String(CASE_1) });
    assert.ok((await chainIds(parent)).includes(chain.id));
    for (const other of [parent2, surrogate, manager, stranger, await api.as('owner'), await api.as('rep')]) {
      assert.ok(!(await chainIds(other)).includes(chain.id));
      assert.equal((await other.get(`/api/messages/${chain.id}`)).status, 404);
      assert.equal((await other.form(`/api/messages/${chain.id}`, { message: 'x' })).status, 404);
      assert.equal((await other.post(`/api/messages/${chain.id}/viewed`, {})).status, 404);
    }
  });

  test('[CHAIN-2] an admin sees conversations assigned to them or linked to their cases, and no others', async () => {
    const { chain } = await start(parent, { message: 'Hello', case_id: String(CASE_1) });
    assert.equal((await escrow.get(`/api/messages/${chain.id}`)).status, 200);
    assert.equal((await viewer.get(`/api/messages/${chain.id}`)).status, 404);
    await api.pool.query('insert into case_admin (case_id, user_id) values ($1, $2)', [CASE_1, viewer.userId]);
    assert.equal((await viewer.get(`/api/messages/${chain.id}`)).status, 200);
    await api.pool.query('delete from case_admin where user_id = $1', [viewer.userId]);
    assert.equal((await viewer.get(`/api/messages/${chain.id}`)).status, 404);
  });

  test('[CHAIN-1] a member who has left loses access at once', async () => {
    const { chain } = await start(parent, { message: 'x', recipients: to(['surrogate', surrogate]) });
    assert.equal((await surrogate.get(`/api/messages/${chain.id}`)).status, 200);
    const before = await unread(surrogate);
    await api.pool.query('update message_chain_group set left_at = now() where chain_id = $1 and user_id = $2', [
      chain.id,
      surrogate.userId,
    ]);
    assert.equal((await surrogate.get(`/api/messages/${chain.id}`)).status, 404);
    assert.equal(await unread(surrogate), before - 1);
  });

  test('[CHAIN-16] someone who is removed from the case at the same moment is not in a conversation that starts', async () => {
    const { userId } = parent2;
    const answer = await runOverlapping(
      api,
      async (tx) => {
        await query(tx, sql`select from case_file where id = ${CASE_1} for update`);
        await query(tx, sql`update case_participant set left_at = now() where case_id = ${CASE_1} and user_id = ${userId}`);
      },
      () => surrogate.form('/api/messages', { message: 'x', recipients: to(['intended_parent', parent2]) }),
    );
    await api.pool.query('update case_participant set left_at = null where user_id = $1', [userId]);
    assert.equal(answer.status, 404, JSON.stringify(answer.body));
  });

  test('[CHAIN-12] lists are keyset pages, latest activity first', async () => {
    const person = await api.as('bothParent');
    const made: number[] = [];
    for (let at = 0; at < 5; at += 1) made.unshift((await start(person, { message: `number ${at}` })).chain.id);
    const first = await person.get('/api/messages?limit=2');
    assert.deepEqual(
      first.body.data.map((chain: { id: number }) => chain.id),
      made.slice(0, 2),
    );
    const second = await person.get(`/api/messages?limit=3&cursor=${first.body.next_cursor}`);
    assert.deepEqual(
      second.body.data.map((chain: { id: number }) => chain.id),
      made.slice(2),
    );
    assert.equal(second.body.next_cursor, null);
    await person.form(`/api/messages/${made.at(-1)}`, { message: 'again' });
    assert.equal((await chainIds(person))[0], made.at(-1));
  });

  test('[CHAIN-12, API-2] lists are filtered by case, status, unread, and words; an unknown value is a 422', async () => {
    await start(manager, { message: 'The xylophone has arrived', subject: 'Delivery' });
    const count = async (query: string) => (await manager.get(`/api/messages?${query}`)).body.data.length;
    assert.equal(await count('q=xylophone'), 1);
    assert.equal(await count('q=delivery'), 1);
    assert.equal(await count('q=zzzznothing'), 0);
    assert.equal(await count('q=%22%27%3B--'), 0);
    assert.equal(await count(`case_id=${CASE_2}`), 0);
    assert.equal(await count('status=closed'), 0);
    for (const query of ['status=lost', 'unread=maybe', 'limit=0', 'limit=101', 'limit=x', 'cursor=zzz', 'case_id=x']) {
      assert.equal((await manager.get(`/api/messages?${query}`)).status, 422, query);
    }
  });

  test('[CHAIN-13] reading a conversation changes nothing; its messages are newest first, in pages', async () => {
    const { chain } = await start(escrow, { message: 'one', recipients: to(['intended_parent', parent2]) });
    for (const message of ['two', 'three']) await escrow.form(`/api/messages/${chain.id}`, { message });
    const before = await unread(parent2);
    const page = await parent2.get(`/api/messages/${chain.id}?limit=2`);
    assert.deepEqual(
      page.body.messages.data.map((m: { message: string }) => m.message),
      ['three', 'two'],
    );
    const next = await parent2.get(`/api/messages/${chain.id}?limit=2&cursor=${page.body.messages.next_cursor}`);
    assert.deepEqual(
      next.body.messages.data.map((m: { message: string }) => m.message),
      ['one'],
    );
    assert.equal(await unread(parent2), before);
  });

  test('[CHAIN-19, MESSAGE-11] a conversation and its messages have exactly the fields of the rules', async () => {
    const { chain, message } = await start(parent, { message: 'Fields', case_id: String(CASE_1) });
    const names = (value: object) => Object.keys(value).sort().join(' ');
    const ofChain = 'assigned_admin_id case_id chain_has_unread_msg_admin created_at id last_message participants status';
    assert.equal(names(chain), `${ofChain} subject unread_count`);
    assert.equal(names(chain.last_message), 'created_at from_id from_type id preview');
    assert.equal(names(chain.participants[0]), 'name user_id user_type');
    const ofMessage = 'chain_id client_key created_at files from_id from_name from_type id message retracted_at';
    assert.equal(names(message), `${ofMessage} to_admin to_id to_type viewed`);
    const read = (await escrow.get(`/api/messages/${chain.id}`)).body;
    assert.deepEqual([names(read.chain), names(read.messages.data[0])], [names(chain), names(message)]);
  });

  test('[ERROR-2, ERROR-3] an invalid id is a 422, an unknown one a 404', async () => {
    for (const id of ['x', '0', '-1', '1.5', '99999999999999999999']) {
      assert.equal((await parent.get(`/api/messages/${id}`)).status, 422, id);
    }
    assert.equal((await parent.get('/api/messages/9007199254740991')).status, 404);
  });

  test('[CHAIN-20] recipients are the people of the case, without the caller and without staff', async () => {
    const { body } = await parent.get(`/api/messages/recipients?case_id=${CASE_1}`);
    const types = body.data.map((person: { user_type: string }) => person.user_type).sort();
    assert.deepEqual(types, ['agency_owner', 'case_manager', 'intended_parent', 'ip_company', 'surrogate']);
    assert.equal((await parent.get(`/api/messages/recipients?case_id=${CASE_2}`)).status, 404);
  });
});

describe('unread', () => {
  test('[UNREAD-2, UNREAD-3] chain_has_unread_msg_admin is true for an admin, and viewed is null for everyone else', async () => {
    const { chain } = await start(parent, { message: 'Hello', recipients: to(['surrogate', surrogate]) });
    const seenBy = async (who: Client) => (await who.get(`/api/messages/${chain.id}`)).body;
    assert.equal((await seenBy(escrow)).chain.chain_has_unread_msg_admin, true);
    assert.equal((await seenBy(escrow)).chain.unread_count, 1);
    assert.equal((await seenBy(surrogate)).messages.data[0].viewed, null);
    assert.notEqual((await seenBy(parent)).messages.data[0].viewed, null, "one's own message is never unread");
    await escrow.post(`/api/messages/${chain.id}/viewed`, {});
    assert.equal((await seenBy(escrow)).chain.chain_has_unread_msg_admin, false);
    assert.equal((await seenBy(surrogate)).messages.data[0].viewed, null, "an admin's view is not the recipient's");
    await surrogate.post(`/api/messages/${chain.id}/viewed`);
    assert.notEqual((await seenBy(surrogate)).messages.data[0].viewed, null);
  });

  test("[UNREAD-4, UNREAD-7] a message with to_admin counts in the admin's unread count without to_id", async () => {
    const before = await unread(escrow);
    const { chain, message } = await start(parent, { message: 'Hello' });
    assert.equal(message.to_id, null);
    assert.equal(await unread(escrow), before + 1);
    const viewed = await escrow.post(`/api/messages/${chain.id}/viewed`, {});
    assert.deepEqual(viewed.body, { unread_count: 0 });
    assert.equal(await unread(escrow), before);
  });

  test('[UNREAD-3] in a group each member has their own mark', async () => {
    const { chain } = await start(escrow, {
      message: 'To all',
      recipients: to(['intended_parent', parent], ['surrogate', surrogate]),
    });
    const [mine, theirs] = [await unread(parent), await unread(surrogate)];
    await parent.post(`/api/messages/${chain.id}/viewed`, {});
    assert.deepEqual([await unread(parent), await unread(surrogate)], [mine - 1, theirs]);
  });

  test('[UNREAD-5, UNREAD-6] marks go up to a message, and sending marks what came before', async () => {
    const { chain, message } = await start(escrow, { message: 'one', recipients: to(['intended_parent', parent]) });
    await escrow.form(`/api/messages/${chain.id}`, { message: 'two' });
    const upTo = await parent.post(`/api/messages/${chain.id}/viewed`, { up_to_message_id: message.id });
    assert.deepEqual(upTo.body, { unread_count: 1 });
    await parent.form(`/api/messages/${chain.id}`, { message: 'three' });
    assert.equal((await parent.get(`/api/messages/${chain.id}`)).body.chain.unread_count, 0);
    const list = await parent.get('/api/messages?unread=true&limit=100');
    assert.ok(!list.body.data.some((found: { id: number }) => found.id === chain.id));
  });
});

describe('[LAYER-5] staff', () => {
  test('without view_messages neither read nor send, not even on their own cases', async () => {
    const { chain } = await start(parent, { message: 'Hello' });
    const finance = await api.as('finance');
    await api.pool.query('insert into case_admin (case_id, user_id) values ($1, $2)', [CASE_1, finance.userId]);
    for (const answer of [
      await finance.get('/api/messages'),
      await finance.get(`/api/messages/${chain.id}`),
      await finance.get('/api/messages/unread/count'),
      await finance.get(`/api/cases/${CASE_1}/messages`),
      await finance.form(`/api/messages/${chain.id}`, { message: 'x' }),
      await finance.form('/api/messages', { message: 'x', recipients: to(['intended_parent', parent]) }),
    ])
      assert.deepEqual([answer.status, answer.body.code], [403, 'missing_permission']);
    await grant(api.pool, 'finance', 'view_messages');
    assert.equal((await finance.form(`/api/messages/${chain.id}`, { message: 'x' })).status, 201);
  });

  test('write without a case only to people of cases that they see', async () => {
    const lonely = await api.as('totp');
    const write = async (who: Client, ...people: Parameters<typeof to>) =>
      (await who.form('/api/messages', { message: 'x', recipients: to(...people) })).status;
    assert.equal(await write(escrow, ['surrogate', stranger]), 201, 'of case 2, which is theirs too');
    assert.equal(await write(escrow, ['agency_owner', await api.as('owner')]), 201, "of a case's agency");
    assert.equal(await write(escrow, ['surrogate', lonely]), 404, 'case 3 is not theirs');
    assert.equal(await write(viewer, ['intended_parent', parent]), 404, 'an admin without a case writes to no one');
    const root = await api.as('root');
    assert.equal(await write(root, ['surrogate', lonely]), 201, 'who sees all cases');
  });
});
