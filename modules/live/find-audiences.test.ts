import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import { findActiveUserById, type User } from '@case-platform/modules/accounts';
import { type MessagingContext, removeFromChain, startChain } from '@case-platform/modules/messaging';
import { CASE_1, CAST, type CastName } from '../../test/support/cast.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { undone } from '../../test/support/undone.ts';
import { addAudiences } from './find-audiences.ts';

const { db, pool } = await createTestDatabase();
const personOf = async (name: CastName): Promise<User> => {
  const { rows } = await pool.query('select id::int from user_account where email_address = $1', [CAST[name].email_address]);
  return (await findActiveUserById(db, rows[0].id)) ?? assert.fail(name);
};
const [parent, surrogate, escrow] = [await personOf('parent'), await personOf('surrogate'), await personOf('escrow')];
const recipients = [{ user_type: surrogate.user_type, user_id: surrogate.id }];
const context = { db } as unknown as MessagingContext;
const { chain_id } = await startChain(context, parent, { case_id: CASE_1, message: 'First', recipients, files: [] });

/** The audience of one event, in ascending order, or null if it was not found. */
async function audienceOf(event: object, executor = db as Parameters<typeof addAudiences>[0]): Promise<number[] | null> {
  const [completed] = (await addAudiences(executor, [event])) as { audience?: number[] }[];
  assert.deepEqual({ ...completed, audience: undefined }, { ...event, audience: undefined });
  return completed?.audience?.toSorted((one, other) => one - other) ?? null;
}
const inOrder = (...people: User[]) => people.map(({ id }) => id).sort((one, other) => one - other);

test('[LIVE-2, LIVE-5] each kind of event is for those whom it concerns', async () => {
  const everyone = inOrder(parent, surrogate, escrow);
  assert.deepEqual(await audienceOf({ kind: 'message', chain_id, message_id: 1 }), everyone);
  assert.deepEqual(await audienceOf({ kind: 'chain', chain_id }), everyone);
  assert.deepEqual(await audienceOf({ kind: 'note', chain_id }), [escrow.id]);
  assert.deepEqual(await audienceOf({ kind: 'marks', chain_id, user_id: null }), [escrow.id]);
  assert.deepEqual(await audienceOf({ kind: 'marks', chain_id, user_id: parent.id }), [parent.id]);
  assert.deepEqual(await audienceOf({ kind: 'writing', chain_id, user_id: escrow.id, name: 'x', writing: 'note' }), []);
  assert.deepEqual(await audienceOf({ kind: 'message', chain_id: 999_999, message_id: 1 }), []);
  const ofCase = (await audienceOf({ kind: 'case', case_id: CASE_1, user_id: null })) ?? [];
  for (const { id } of [parent, surrogate, escrow]) assert.ok(ofCase.includes(id));
  assert.deepEqual(await audienceOf({ kind: 'case', case_id: CASE_1, user_id: parent.id }), [parent.id]);
  for (const kind of ['session_end', 'lag_probe']) assert.equal(await audienceOf({ kind, user_id: 1 }), null);
});

test('[LIVE-2, CHAIN-16] someone who was removed before is not in the audience, except of the event that says so', async () => {
  await undone(db, async (tx) => {
    await removeFromChain(tx, { chain_id, user_id: surrogate.id }, { actor: escrow, origin: { layer: 'admin' } });
    assert.deepEqual(await audienceOf({ kind: 'message', chain_id, message_id: 1 }, tx), inOrder(parent, escrow));
    const [event] = await query<{ event: object }>(tx, sql`select event from outbox where event->'no_longer' is not null`);
    assert.deepEqual(await audienceOf(event?.event ?? {}, tx), inOrder(parent, surrogate, escrow));
  });
});

test('[LIVE-2] an audience that does not fit into a notification, and those of a batch with very many cases, are left out', async () => {
  await undone(db, async (tx) => {
    const add = (n: number) =>
      query(
        tx,
        sql`with person as (
              insert into user_account (email_address, user_type)
              select format('reader-%s-%s@demo.test', ${n}::int, n), 'ip' from generate_series(1, ${n}::int) n returning id)
            insert into message_chain_group (chain_id, user_id, last_message_id)
            select ${chain_id}, person.id, c.last_message_id from person, message_chain c where c.id = ${chain_id}`,
      );
    await add(297);
    assert.equal((await audienceOf({ kind: 'chain', chain_id }, tx))?.length, 300);
    await add(1);
    assert.equal(await audienceOf({ kind: 'chain', chain_id }, tx), null);
  });
  const casesAnd = async (count: number) => {
    const cases = Array.from({ length: count }, (_, n) => ({ kind: 'case', case_id: n + 1, user_id: null }));
    const completed = await addAudiences(db, [...cases, { kind: 'note', chain_id }]);
    return [completed[0], completed.at(-1)].map((event) => 'audience' in (event ?? {}));
  };
  assert.deepEqual(await casesAnd(500), [true, true]);
  assert.deepEqual(await casesAnd(501), [false, true]);
});
