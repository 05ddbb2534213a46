import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { createTestDatabase } from '../../test/support/database.ts';
import { type CaseAccessReason, canAccessCase } from './case-access.ts';
import { explainCaseAccess } from './explain-case-access.ts';
import { findCaseAudiences } from './find-case-audiences.ts';
import { listCases } from './list-cases.ts';

const { db, pool } = await createTestDatabase();

async function user(email_address: string, user_type: string): Promise<User> {
  const [row] = await query<User>(
    db,
    sql`select * from user_account where email_address = ${email_address} and user_type = ${user_type}`,
  );
  assert.ok(row);
  return row;
}

async function reasonsFor(person: User, caseId = 1): Promise<CaseAccessReason[]> {
  const { reasons } = (await explainCaseAccess(db, person, caseId)) ?? { reasons: {} };
  return Object.entries(reasons)
    .filter(([, holds]) => holds)
    .map(([name]) => name as CaseAccessReason);
}

test('[SHOWN-7] each reason to see a case is named', async () => {
  assert.deepEqual(await reasonsFor(await user('parent@demo.test', 'ip')), ['participant']);
  assert.deepEqual(await reasonsFor(await user('rep@demo.test', 'ip_rep')), ['participant']);
  assert.ok((await reasonsFor(await user('owner@demo.test', 'owner'))).includes('agency_owner'));
  assert.ok((await reasonsFor(await user('escrow@demo.test', 'admin'))).includes('escrow_specialist'));
  assert.deepEqual(await reasonsFor(await user('root@demo.test', 'admin')), ['view_all_cases']);
  const viewer = await user('viewer@demo.test', 'admin');
  assert.deepEqual(await reasonsFor(viewer), []);
  await pool.query('insert into case_admin (case_id, user_id) values (1, $1)', [viewer.id]);
  assert.deepEqual(await reasonsFor(viewer), ['case_team']);
});

test('[CASE-1] a case of the agency gives its owner a reason, and its case managers none', async () => {
  const [caseFile] = await query<{ id: number }>(
    db,
    sql`insert into case_file (name, agency_id) select 'Of the agency', agency_id from user_account
         where email_address = 'owner@demo.test' and user_type = 'owner' returning id`,
  );
  const [owner, manager] = [await user('owner@demo.test', 'owner'), await user('manager@demo.test', 'cm')];
  assert.equal(owner.agency_id, manager.agency_id);
  assert.deepEqual(await reasonsFor(owner, caseFile?.id), ['agency_owner']);
  assert.deepEqual(await reasonsFor(manager, caseFile?.id), []);
});

test('[CASE-1] an owner has no reason to see a case of another agency, or without an agency', async () => {
  const [other] = await query<{ id: number }>(
    db,
    sql`with agency as (insert into agency (name) values ('Another agency') returning id)
        insert into case_file (name, agency_id) select 'Of another agency', id from agency returning id`,
  );
  const [none] = await query<{ id: number }>(db, sql`insert into case_file (name) values ('Of no agency') returning id`);
  const owner = await user('owner@demo.test', 'owner');
  for (const caseFile of [other, none]) {
    assert.ok(caseFile);
    assert.deepEqual(await reasonsFor(owner, caseFile.id), []);
    assert.equal(await canAccessCase(db, owner, caseFile.id), false);
  }
});

test('[CASE-10] a person who moved to another agency sees no case of the former one, even while on it', async () => {
  const manager = await user('manager@demo.test', 'cm');
  assert.deepEqual(await reasonsFor(manager), ['participant']);
  await pool.query(
    `with elsewhere as (insert into agency (name) values ('Elsewhere') returning id)
     update user_account set agency_id = elsewhere.id from elsewhere where user_account.id = $1`,
    [manager.id],
  );
  assert.deepEqual(await reasonsFor(await user('manager@demo.test', 'cm')), []);
  const live = await findCaseAudiences(db, [1]);
  assert.equal(live.get(1)?.includes(manager.id), false, 'a stream that is already open');
  await pool.query('update user_account set agency_id = $1 where id = $2', [manager.agency_id, manager.id]);
  assert.deepEqual(await reasonsFor(manager), ['participant']);
});

test('[CASE-1, ERROR-2] a person who left a case no longer has a reason, and an unknown case is null', async () => {
  const parent = await user('parent2@demo.test', 'ip');
  await pool.query('update case_participant set left_at = now() where user_id = $1', [parent.id]);
  assert.deepEqual(await reasonsFor(parent), []);
  assert.equal(await explainCaseAccess(db, parent, 999_999), null);
});

test('[CASE-12] the explanation, the guard, and the list agree, for everyone on every case', async () => {
  const people = await query<User>(db, sql`select * from user_account`);
  const cases = await query<{ id: number }>(db, sql`select id from case_file`);
  for (const person of people) {
    const listed = (await listCases(db, person, { limit: 100 })).data.map((caseFile) => caseFile.id);
    for (const { id } of cases) {
      const explained = (await reasonsFor(person, id)).length > 0;
      const can = await canAccessCase(db, person, id);
      assert.deepEqual([can, listed.includes(id)], [explained, explained], `${person.email_address} on ${id}`);
    }
  }
});
