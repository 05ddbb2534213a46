import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPool } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { findActiveUser, type User } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import { createTestDatabase, serverUrl, vacuumAnalyze } from '../../test/support/database.ts';
import { listDisbursements } from './list-disbursements.ts';

const { db, url } = await createTestDatabase();
const person = async (email_address: string, user_type: UserType): Promise<User> => {
  const user = await findActiveUser(db, { email_address, user_type });
  assert.ok(user);
  return user;
};
const root = await person('root@demo.test', 'admin');
const finance = await person('finance@demo.test', 'admin');
const escrow = await person('escrow@demo.test', 'admin');
const viewer = await person('viewer@demo.test', 'admin');
const parent = await person('parent@demo.test', 'ip');
const owner = await person('owner@demo.test', 'owner');
const surrogate = await person('surrogate@demo.test', 'surrogate');

/** Requests of a large platform: most are paid and few wait; one admin is the escrow specialist of every 100th case. */
const superuser = createPool({
  url: serverUrl(new URL(url).pathname.slice(1)),
  name: 'owner',
  max: 1,
  limitMs: 60_000,
});
await superuser.query("set session_replication_role = 'replica'");
await superuser.query(
  `insert into case_file (name, status, escrow_specialist_id)
   select 'Family ' || n, 'active', case when n % 100 = 0 then ${escrow.id} end from generate_series(1, 2000) n`,
);
await superuser.query(
  `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by,
                                     submitted_by, submitted_at, approver_id, decided_at, paid_at)
   select 1 + n % 2000, status, n, 'Travel', 'Train', ${surrogate.id}, ${surrogate.id}, ${surrogate.id}, now(), ${parent.id},
          now(), case when status = 'paid' then now() end
     from generate_series(1, 20000) n, lateral (select case when n % 50 = 0 then 'submitted' else 'paid' end as status) s`,
);
await superuser.end();
await vacuumAnalyze({ url }, 'case_file', 'disbursement_request');

/** States in which a request is approved or later. */
const PAYABLE = ['approved', 'batched', 'paid', 'returned'];

test('[CASE-2] people see the requests of their cases, and admins who make payments also those that are approved or later', async () => {
  const countOf = async (user: User) => {
    let count = 0;
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof listDisbursements>> = await listDisbursements(
        db,
        user,
        {
          limit: 100,
          cursor: cursor ?? undefined,
        },
        new Date(),
      );
      count += page.data.length;
      cursor = page.next_cursor;
    } while (cursor !== null && count < 1000);
    return count;
  };
  assert.deepEqual(await Promise.all([parent, owner, viewer].map(countOf)), [10, 10, 0]);
  assert.deepEqual(await Promise.all([root, finance].map(countOf)), [1000, 1000]);
  assert.ok((await countOf(escrow)) < 500, 'view_drs shows nothing of other cases');
  const { data } = await listDisbursements(db, finance, { limit: 100 }, new Date());
  assert.deepEqual(
    [...new Set(data.map(({ status }) => status))].filter((status) => !PAYABLE.includes(status)),
    [],
  );
});

test('[SHOWN-4, DRAFT-1] the list of their own cases leaves out requests that staff only pay', async () => {
  const own = async (user: User) => (await listDisbursements(db, user, { on_own_cases: true, limit: 50 }, new Date())).data;
  assert.deepEqual(await own(finance), []);
  assert.equal((await own(root)).length, 50, 'an admin with view_all_cases');
  const mine = await own(escrow);
  assert.ok(mine.length > 0 && mine.length < 500);
  const rows = await query<{ id: number }>(db, sql`select id from case_file where escrow_specialist_id = ${escrow.id}`);
  const cases = new Set(rows.map(({ id }) => id));
  assert.ok(mine.every(({ case_id }) => cases.has(case_id)));
});
