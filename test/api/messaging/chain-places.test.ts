import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import { leaveChainsOfCase, removeFromCase } from '@case-platform/modules/messaging';
import { toApiUserType } from '@case-platform/words/user-types';
import { CASE_1, CASE_2, CASE_3 } from '../../support/cast.ts';
import { type Client, startApi } from '../../support/platform.ts';
import { inOpenTransaction, untilWaiting } from '../../support/run-overlapping.ts';

/** A conversation that a list leaves out is a 404 by its id too, for reading and for changing. */

const api = await startApi();
const { parent, surrogate, escrow, viewer, root, totp } = await api.everyone();
const sql = async (text: string, ...values: unknown[]) => (await api.pool.query(text, values)).rows;
const VIEWERS_ROLE = `(select admin_role_id from user_account where email_address = 'viewer@demo.test')`;
const grant = async (...permissions: string[]) => {
  await sql(`delete from admin_role_permission where admin_role_id = ${VIEWERS_ROLE}`);
  await sql(`insert into admin_role_permission select ${VIEWERS_ROLE}, unnest($1::text[])`, permissions);
};

async function start(who: Client, fields: Record<string, string>): Promise<number> {
  const { status, body } = await who.form('/api/messages', { message: 'A message', ...fields });
  assert.equal(status, 201, JSON.stringify(body));
  return body.chain.id;
}
async function to(...people: Client[]): Promise<string> {
  const ids = people.map((who) => who.userId);
  const rows = await sql('select id::int, user_type from user_account where id = any($1)', ids);
  return JSON.stringify(rows.map(({ id, user_type }) => ({ user_id: id, user_type: toApiUserType(user_type) })));
}

/** Tries to list, read, view, and answer a conversation. @returns 'all', 'none', or the names of what succeeds. */
async function places(who: Client, chainId: number): Promise<string> {
  const list = await who.get('/api/messages?limit=100');
  const seen = {
    list: list.status === 200 && list.body.data.some(({ id }: { id: number }) => id === chainId),
    read: (await who.get(`/api/messages/${chainId}`)).status === 200,
    viewed: (await who.post(`/api/messages/${chainId}/viewed`, {})).status === 200,
    reply: (await who.form(`/api/messages/${chainId}`, { message: 'A reply' })).status === 201,
  };
  const places = Object.entries(seen).filter(([, isSeen]) => isSeen);
  return places.length === 0 ? 'none' : places.length === 4 ? 'all' : places.map(([name]) => name).join(' ');
}

beforeEach(() => grant('view_messages', 'view_case_details'));

test('[CHAIN-5] a conversation without an owner is for reassign_threads, in the list and by its id', async () => {
  const id = await start(totp, { case_id: String(CASE_3) });
  assert.equal((await sql('select assigned_admin_id from message_chain where id = $1', id))[0].assigned_admin_id, null);
  assert.equal(await places(viewer, id), 'none');
  assert.equal((await viewer.get(`/api/messages/${id}/notes`)).status, 404);
  await grant('view_messages', 'reassign_threads');
  assert.equal(await places(viewer, id), 'all');
});

test('[CHAIN-2, CHAIN-3] an admin sees what they started, and no conversation of a case that is not theirs', async () => {
  await grant('view_messages', 'view_all_cases', 'send_group_messages');
  const own = await start(viewer, { recipients: await to(surrogate) });
  await sql('update message_chain set assigned_admin_id = $2 where id = $1', own, escrow.userId);
  const ofCase = await start(parent, { case_id: String(CASE_1) });
  await grant('view_messages');
  assert.equal(await places(viewer, own), 'all');
  assert.equal(await places(viewer, ofCase), 'none');
});

test('[CHAIN-1] a person who left a conversation finds it nowhere', async () => {
  const id = await start(parent, { case_id: String(CASE_1), recipients: await to(surrogate) });
  assert.equal(await places(surrogate, id), 'all');
  await sql('update message_chain_group set left_at = now() where chain_id = $1 and user_id = $2', id, surrogate.userId);
  assert.equal(await places(surrogate, id), 'none');
  assert.equal((await surrogate.get('/api/messages/unread/count')).status, 200);
});

test('[CHAIN-9] recipients are active, on the named case, and not the writer', async () => {
  const write = async (who: Client, fields: Record<string, string>) =>
    (await who.form('/api/messages', { message: 'A message', ...fields })).status;
  const stranger = await api.as('bothSurrogate');
  assert.equal(await write(root, { case_id: String(CASE_1), recipients: await to(stranger) }), 404, 'another case');
  assert.equal(await write(root, { case_id: String(CASE_2), recipients: await to(stranger) }), 201);
  assert.equal(await write(parent, { recipients: await to(stranger) }), 404, 'no case in common');
  assert.equal(await write(parent, { recipients: await to(parent) }), 422, 'oneself');
  const open = await write(parent, { recipients: await to(surrogate) });
  await sql(`update user_account set status = 'deactivated' where id = $1`, surrogate.userId);
  const closed = await write(parent, { recipients: await to(surrogate) });
  await sql(`update user_account set status = 'active' where id = $1`, surrogate.userId);
  assert.deepEqual([open, closed], [201, 404]);
});

test('[UNREAD-6] staff who have seen a conversation up to one message have the later ones unread', async () => {
  const id = await start(parent, { case_id: String(CASE_1) });
  const [{ id: first }] = await sql('select max(id)::int as id from message where chain_id = $1', id);
  await parent.form(`/api/messages/${id}`, { message: 'Another' });
  const { body } = await escrow.post(`/api/messages/${id}/viewed`, { up_to_message_id: first });
  assert.equal(body.unread_count, 1);
});

test('[CHAIN-16] a person who leaves a case keeps the conversations of another one', async () => {
  const other = await start(root, { case_id: String(CASE_1), recipients: await to(surrogate) });
  await sql('update message_chain set case_id = $2 where id = $1', other, CASE_2);
  const own = await start(surrogate, { case_id: String(CASE_1) });
  await api.db.transaction((tx) => leaveChainsOfCase(tx, CASE_1, surrogate.userId));
  assert.equal(await places(surrogate, own), 'none');
  assert.equal(await places(surrogate, other), 'all');
});

describe('without a case', () => {
  const bySystem = { actor: null, origin: SYSTEM };
  const leave = (caseId: number) => api.db.transaction((tx) => removeFromCase(tx, caseId, surrogate.userId, bySystem));
  const caseOf = async (id: number) => (await sql('select case_id::int from message_chain where id = $1', id))[0].case_id;
  beforeEach(async () => {
    for (const id of [CASE_1, CASE_2]) {
      await sql('delete from case_participant where case_id = $1 and user_id = any($2)', id, [surrogate.userId, parent.userId]);
      await sql('insert into case_participant (case_id, user_id) select $1, unnest($2::bigint[])', id, [
        surrogate.userId,
        parent.userId,
      ]);
    }
  });

  test('[CHAIN-8] a person who no longer shares a case with someone leaves their conversation without a case', async () => {
    const id = await start(parent, { recipients: await to(surrogate) });
    assert.equal(await caseOf(id), null);
    const group = await start(root, { recipients: await to(surrogate, await api.as('totp')) });
    const desk = await start(root, { recipients: await to(surrogate) });
    await leave(CASE_1);
    assert.equal(await places(surrogate, id), 'all', 'another case is left');
    await leave(CASE_2);
    assert.equal(await places(surrogate, id), 'none');
    assert.equal(await places(parent, id), 'all');
    assert.equal((await surrogate.form('/api/messages', { message: 'x', recipients: await to(parent) })).status, 404);
    assert.deepEqual(
      [await places(surrogate, group), await places(surrogate, desk)],
      ['all', 'all'],
      'conversations with someone who was on neither case',
    );
  });

  test('[CHAIN-16] a person who is taken off a case while they are written to must be named again', async () => {
    const started = await inOpenTransaction(api.pool, async (leaving) => {
      await leaving.query('select from case_file where id = $1 for update', [CASE_2]);
      const started = start(parent, { recipients: await to(surrogate) });
      await untilWaiting(api.pool, [started]);
      await leaving.query('update case_participant set left_at = now() where case_id = $1 and user_id = $2', [
        CASE_2,
        surrogate.userId,
      ]);
      await leaving.query('commit');
      return started;
    });
    assert.equal(await caseOf(started), CASE_1);
  });
});
