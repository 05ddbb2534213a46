import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { CAST } from '../../support/cast.ts';
import { createTestDatabase } from '../../support/database.ts';
import { openGate } from '../../support/gate.ts';
import { type Client, startApi } from '../../support/platform.ts';

const direct = await createTestDatabase();
const gate = await openGate(direct.url);
const pool = createPool({ url: gate.url, name: 'round trips' });
after(() => pool.end());
const api = await startApi({ database: { url: direct.url, pool, db: createDatabase(pool) } });
const [parent, escrow] = [await api.as('parent'), await api.as('escrow')];
const begun = await parent.form('/api/messages', { message: 'Is everything there?' });
const chain = begun.body.chain.id as number;
const READS = ['/api/messages', '/api/messages/unread/count', `/api/messages/${chain}`];

const AT_LEAST = 10;
const WITHIN_MS = 30_000;

/**
 * The fewest round trips of equal calls. The process looks into the outbox every tenth of a second, on a busy machine during most
 * calls, so it goes on for a while as long as there are more than expected.
 */
async function countRoundTrips(call: () => Promise<{ status: number }>, status: number, expected: number): Promise<number> {
  const end = performance.now() + WITHIN_MS;
  let fewest = Number.POSITIVE_INFINITY;
  for (let calls = 0; calls < AT_LEAST || (fewest > expected && performance.now() < end); calls += 1) {
    const before = gate.countRoundTrips();
    assert.equal((await call()).status, status);
    fewest = Math.min(fewest, gate.countRoundTrips() - before);
  }
  return fewest;
}

for (const path of READS) {
  test(`[SCALE-6] ${path.replace(/\d+/, ':id')} takes one round trip to the database, for parents and staff`, async () => {
    assert.deepEqual(
      [await countRoundTrips(() => parent.get(path), 200, 1), await countRoundTrips(() => escrow.get(path), 200, 1)],
      [1, 1],
    );
  });
}

test('[SCALE-6] a search takes two round trips to the database, for parents and staff', async () => {
  const path = '/api/messages?q=everything';
  assert.deepEqual(
    [await countRoundTrips(() => parent.get(path), 200, 2), await countRoundTrips(() => escrow.get(path), 200, 2)],
    [2, 2],
  );
});

test('[SCALE-6] a reply takes five round trips to the database', async () => {
  const reply = () => parent.form(`/api/messages/${chain}`, { message: 'Thank you' });
  assert.equal(await countRoundTrips(reply, 201, 5), 5);
});

describe('[SCALE-6, GUARD-10] whatever a read finds, someone who is not let in gets only the rejection', () => {
  const paths = [...READS, '/api/messages/999999', '/api/messages?limit=many', '/api/messages?cursor=wrong'];
  const readAll = async (client: Client) =>
    Promise.all(
      paths.map(async (path) => {
        const { status, body } = await client.get(path);
        return [status, body.code, Object.keys(body).filter((name) => /data|chain|messages|unread/.test(name))];
      }),
    );

  test('[SIGN-IN-8] a person who was deactivated', async () => {
    const { email_address } = CAST.parent;
    const setStatus = (status: string) =>
      pool.query('update user_account set status = $2 where email_address = $1', [email_address, status]);
    await setStatus('deactivated');
    const answers = await readAll(parent);
    await setStatus('active');
    assert.deepEqual(
      answers,
      paths.map(() => [401, 'not_authenticated', []]),
    );
    assert.equal((await parent.get(READS[0] ?? '')).status, 200);
  });

  test('[GUARD-10] an admin without the permission', async () => {
    const { rows } = await pool.query('delete from admin_role_permission where permission = $1 returning *', ['view_messages']);
    const answers = await readAll(escrow);
    for (const { admin_role_id, permission } of rows)
      await pool.query('insert into admin_role_permission (admin_role_id, permission) values ($1, $2)', [
        admin_role_id,
        permission,
      ]);
    assert.ok(rows.length > 0);
    assert.deepEqual(
      answers,
      paths.map(() => [403, 'missing_permission', []]),
    );
    assert.equal((await escrow.get(READS[0] ?? '')).status, 200);
  });
});
