import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordAudit, SYSTEM } from '@case-platform/lib/audit';
import { createPool } from '@case-platform/lib/database';
import { createTestDatabase, serverUrl } from '../../test/support/database.ts';

const { db, pool, url } = await createTestDatabase();
const owner = createPool({ url: serverUrl(new URL(url).pathname.slice(1)), name: 'owner', max: 1 });

test.after(() => owner.end());

await recordAudit(db, { actor: null, origin: SYSTEM, action: 'role.update', subject_label: 'x'.repeat(400) });

const VISIT = '3f2a6c1e-90ab-4cde-8f01-23456789abcd';

test('[AUDIT-1] the audit log stores who did what, when, from where, and the values before and after', async () => {
  const { rows: users } = await pool.query(`select id, user_type from user_account where email_address = 'root@demo.test'`);
  await recordAudit(db, {
    actor: users[0],
    origin: { layer: 'admin', ip_address: '192.0.2.7', request_id: 'request-1', visit_id: VISIT },
    action: 'role.rename',
    subject_id: 5,
    subject_label: 'Finance',
    before: { name: 'Finance' },
    after: { name: 'Money' },
  });
  const { rows } = await pool.query('select * from audit_entry order by id desc limit 1');
  const { id, happened_at, ...entry } = rows[0];
  assert.ok(id > 0 && happened_at instanceof Date);
  assert.deepEqual(entry, {
    actor_id: users[0].id,
    actor_type: 'admin',
    layer: 'admin',
    action: 'role.rename',
    subject_type: 'role',
    subject_id: 5,
    subject_label: 'Finance',
    case_id: null,
    before: { name: 'Finance' },
    after: { name: 'Money' },
    ip_address: '192.0.2.7',
    request_id: 'request-1',
    visit_id: VISIT,
  });
});

test('[AUDIT-1] a change that is rolled back leaves no entry', async () => {
  const abandoned = db.transaction(async (tx) => {
    await recordAudit(tx, { actor: null, origin: SYSTEM, action: 'role.abandoned' });
    throw new Error('abandoned');
  });
  await assert.rejects(abandoned, /abandoned/);
  const countEntries = async () => (await pool.query(`select from audit_entry where action = 'role.abandoned'`)).rowCount;
  assert.equal(await countEntries(), 0);
  await db.transaction((tx) => recordAudit(tx, { actor: null, origin: SYSTEM, action: 'role.abandoned' }));
  assert.equal(await countEntries(), 1, 'a committed change leaves one');
});

for (const statement of [
  `update audit_entry set action = 'role.forged'`,
  'delete from audit_entry',
  'truncate audit_entry',
  'alter table audit_entry disable trigger all',
  'drop trigger audit_entry_is_append_only on audit_entry',
  'drop table audit_entry',
  `set session_replication_role = 'replica'`,
  'create table of_the_application (id integer)',
]) {
  test(`[AUDIT-2] the applications' database role cannot: ${statement}`, async () => {
    await assert.rejects(pool.query(statement), { code: '42501' });
  });
}

for (const statement of [`update audit_entry set action = 'role.forged'`, 'delete from audit_entry', 'truncate audit_entry']) {
  test(`[AUDIT-2] the schema's owner cannot do so by mistake either: ${statement}`, async () => {
    await assert.rejects(owner.query(statement), /audit_entry is append-only/);
  });
}
