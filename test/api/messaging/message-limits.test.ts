import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApi } from '../../support/platform.ts';

/** The limits of a message, checked at the last accepted value and at the next one. */

const api = await startApi();
const { parent, root } = await api.everyone();
const send = async (fields: Record<string, string>) => (await parent.form('/api/messages', fields)).status;

test('[MESSAGE-3] a message has 1 to 10,000 characters, a subject up to 200', async () => {
  assert.equal(await send({ message: '€'.repeat(10_000) }), 201);
  assert.equal(await send({ message: '€'.repeat(10_001) }), 422);
  assert.equal(await send({ message: 'a' }), 201);
  assert.equal(await send({ message: ' ' }), 422);
  assert.equal(await send({ message: 'a', subject: '€'.repeat(200) }), 201);
  assert.equal(await send({ message: 'a', subject: '€'.repeat(201) }), 422);
});

test('[CHAIN-18] a conversation has up to 50 people', async () => {
  const { rows } = await api.pool.query<{ id: number }>(
    `insert into user_account (email_address, user_type, first_name, last_name, status)
     select 'many-' || n || '@demo.test', 'surrogate', 'Many', n::text, 'active' from generate_series(1, 51) n
     returning id::int`,
  );
  await api.pool.query(`insert into case_participant (case_id, user_id, position) select 1, unnest($1::bigint[]), 100`, [
    rows.map(({ id }) => id),
  ]);
  const write = async (count: number) => {
    const recipients = JSON.stringify(rows.slice(0, count).map(({ id }) => ({ user_type: 'surrogate', user_id: id })));
    return (await root.form('/api/messages', { message: 'a', case_id: '1', recipients })).status;
  };
  assert.deepEqual([await write(50), await write(51)], [201, 422]);
});

test('[MESSAGE-6] a message can be taken back for 24 hours', async () => {
  const takeBack = async (minutes: number) => {
    const { chain_id, id } = (await parent.form('/api/messages', { message: 'a' })).body.message;
    await api.pool.query('update message set created_at = now() - make_interval(mins => $2) where id = $1', [id, minutes]);
    return (await parent.call('DELETE', `/api/messages/${chain_id}/${id}`)).status;
  };
  assert.deepEqual([await takeBack(24 * 60 - 1), await takeBack(24 * 60 + 1)], [200, 409]);
});
