import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Database } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { createTestDatabase } from '../../../test/support/database.ts';
import { runOverlapping } from '../../../test/support/run-overlapping.ts';
import { CATALOGUE_VERSION, type CatalogueEntry, listCatalogue } from './catalogue.ts';
import { syncPermissions } from './sync-permissions.ts';

const entries: CatalogueEntry[] = listCatalogue();
const version = CATALOGUE_VERSION;

async function values(db: Database): Promise<string[]> {
  return (await query<{ value: string }>(db, sql`select value from admin_permission order by value`)).map(({ value }) => value);
}

function without(value: string): CatalogueEntry[] {
  return entries.filter((entry) => entry.value !== value);
}

test('the catalogue and its renames are those of this version', () => {
  const digest = createHash('sha256').update(JSON.stringify(listCatalogue())).digest('hex').slice(0, 16);
  // If the digest changes, increase CATALOGUE_VERSION.
  assert.deepEqual([CATALOGUE_VERSION, digest], [2, '40809bed14ffb8ff']);
});

test('[ROLE-2] values are lower-case snake case', () => {
  for (const { value } of entries) assert.match(value, /^[a-z]+(_[a-z]+)*$/);
});

test('[ROLE-13] the catalogue contains the permissions and categories of the rules', () => {
  const named = entries.map(({ category, name, value }) => `${category} ${name} ${value}`);
  for (const row of [
    'Case VIEW_CASE_DETAILS view_case_details',
    'Case EDIT_CASE_DETAILS edit_case_details',
    'Banking CREATE_NACHA create_nacha',
    'Disbursements CREATE_DRS create_drs',
    'Payments MAKE_PAYMENTS make_payments',
  ]) {
    assert.ok(named.includes(row), row);
  }
});

test('[ROLE-1] at start new entries are added and stale ones removed, with their grants', async () => {
  const { db } = await createTestDatabase();
  await query(db, sql`delete from admin_permission where value = 'create_drs'`);
  await query(db, sql`insert into admin_permission (value, category, name) values ('old_one', 'Case', 'OLD_ONE')`);
  await query(db, sql`update admin_permission set name = 'OTHER', category = 'Elsewhere' where value = 'make_payments'`);
  await query(
    db,
    sql`insert into admin_role_permission select id, 'old_one' from admin_role where name in ('Finance', 'Viewer')`,
  );
  const done = await syncPermissions(db);
  assert.deepEqual(done, { added: ['create_drs'], renamed: [], removed: ['old_one'], newer_version: null });
  assert.deepEqual(await values(db), entries.map(({ value }) => value).sort());
  const grants = await query(db, sql`select 1 from admin_role_permission where permission = 'old_one'`);
  assert.equal(grants.length, 0);
  const payments = await query(db, sql`select category, name from admin_permission where value = 'make_payments'`);
  assert.deepEqual(payments, [{ category: 'Payments', name: 'MAKE_PAYMENTS' }], 'an entry that differs is corrected');
  assert.deepEqual(
    await query(db, sql`select actor_id, layer, action, subject_label, before from audit_entry where action like 'permission.%'`),
    [
      {
        actor_id: null,
        layer: 'system',
        action: 'permission.remove',
        subject_label: 'old_one',
        before: { category: 'Case', name: 'OLD_ONE', roles: ['Finance', 'Viewer'] },
      },
    ],
  );
});

test('[ROLE-1, AUDIT-1] a renamed permission keeps the grants of the roles', async () => {
  const { db } = await createTestDatabase();
  const renamed = without('create_nacha').concat({
    category: 'Banking',
    name: 'CREATE_BANK_FILE',
    value: 'create_bank_file',
    renamed_from: 'create_nacha',
  });
  const holders = (permission: string) =>
    query<{ admin_role_id: number }>(
      db,
      sql`select admin_role_id from admin_role_permission where permission = ${permission} order by 1`,
    );
  const before = await holders('create_nacha');
  assert.ok(before.length > 0);
  // A role can have both, from a version that already had the new one.
  const both = entries.concat({ category: 'Banking', name: 'CREATE_BANK_FILE', value: 'create_bank_file' });
  await syncPermissions(db, { entries: both, version });
  await query(
    db,
    sql`insert into admin_role_permission (admin_role_id, permission) values (${before[0]?.admin_role_id ?? 0}, 'create_bank_file')`,
  );
  const done = await syncPermissions(db, { entries: renamed, version: version + 1 });
  assert.deepEqual(done.renamed, ['create_nacha -> create_bank_file']);
  assert.deepEqual(await holders('create_bank_file'), before);
  assert.ok(!(await values(db)).includes('create_nacha'));
  const audit = await query(
    db,
    sql`select actor_id, subject_label, before, after from audit_entry where action = 'permission.rename'`,
  );
  const change = { before: { value: 'create_nacha' }, after: { value: 'create_bank_file' } };
  assert.deepEqual(audit, [{ actor_id: null, subject_label: 'create_bank_file', ...change }]);
  const again = await syncPermissions(db, { entries: renamed, version: version + 1 });
  assert.deepEqual(again, { added: [], renamed: [], removed: [], newer_version: null });
});

test('[ROLE-1] an older version that starts beside a newer one takes nothing away', async () => {
  const { db } = await createTestDatabase();
  const newer = entries.concat({ category: 'Case', name: 'NEW_ONE', value: 'new_one' });
  await syncPermissions(db, { entries: newer, version: version + 1 });
  await query(db, sql`insert into admin_role_permission select id, 'new_one' from admin_role`);
  const done = await syncPermissions(db);
  assert.deepEqual(done, { added: [], renamed: [], removed: [], newer_version: version + 1 });
  assert.ok((await values(db)).includes('new_one'));
  assert.ok((await query(db, sql`select 1 from admin_role_permission where permission = 'new_one'`)).length > 0);
});

test('[ROLE-1] an older version that starts while a newer one synchronizes waits, and takes nothing away', async () => {
  const { db, pool } = await createTestDatabase();
  const newer = entries.concat({ category: 'Case', name: 'NEW_ONE', value: 'new_one' });
  const sync = (tx: Database) => syncPermissions(tx, { entries: newer, version: version + 1 });
  const done = await runOverlapping({ db, pool }, sync, () => syncPermissions(db));
  assert.deepEqual(done, { added: [], renamed: [], removed: [], newer_version: version + 1 });
  assert.ok((await values(db)).includes('new_one'));
});

test('[ROLE-1] of four processes that start at once, one synchronizes', async () => {
  const { db } = await createTestDatabase();
  await query(db, sql`delete from admin_permission where value in ('create_drs', 'view_drs')`);
  await query(db, sql`insert into admin_permission (value, category, name) values ('old_one', 'Case', 'OLD_ONE')`);
  const all = await Promise.all([1, 2, 3, 4].map(() => syncPermissions(db)));
  assert.deepEqual(all.flatMap(({ added }) => added).sort(), ['create_drs', 'view_drs']);
  assert.deepEqual(
    all.flatMap(({ removed }) => removed),
    ['old_one'],
  );
  assert.deepEqual(await values(db), entries.map(({ value }) => value).sort());
  assert.equal((await query(db, sql`select 1 from audit_entry where action = 'permission.remove'`)).length, 1);
});
