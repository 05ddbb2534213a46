import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, sql } from '@case-platform/lib/sql';
import { createTestDatabase, vacuumAnalyze } from '../../test/support/database.ts';
import { type AuditFilter, type AuditRecord, auditStatement, findAuditEntry, listAudit, listAuditActions } from './list-audit.ts';

const { db, pool, url } = await createTestDatabase();

/** A year of work by a few people on a few cases, with ten entries per transaction and several kinds of change. */
await pool.query(
  `insert into audit_entry (happened_at, actor_id, actor_type, layer, action, subject_id, subject_label, case_id)
   select timestamptz '2026-01-01' + n / 10 * interval '4 hours', case when n % 7 > 0 then 1 + n % 7 end, 'admin', 'admin',
          (array['user.update', 'role.rename', 'case.update', 'disbursement.approve'])[1 + n % 4], n % 500, 'Subject ' || n,
          case when n % 3 = 0 then 1 + n % 2 end
     from generate_series(1, 20000) n`,
);
await vacuumAnalyze({ url }, 'audit_entry');

const BOUND = { happened_at: '2026-06-01 00:00:00.123456+00', id: 8000 };
const [from, until] = [new Date('2026-03-01'), new Date('2026-03-08')];
const FILTERS: AuditFilter[] = [
  {},
  { actor_ids: [3] },
  { actor_ids: [3, 4] },
  { action: 'role.rename' },
  { subject_type: 'disbursement' },
  { subject_type: 'user', subject_id: 240 },
  { case_id: 1 },
  { from },
  { until },
  { from, until },
  { actor_ids: [3], action: 'role.rename', from, until },
  { case_id: 1, subject_type: 'case' },
];

for (const filter of FILTERS) {
  for (const bound of [undefined, BOUND]) {
    const page = bound === undefined ? 'the first page' : 'a later page';
    test(`[AUDIT-3] the audit log uses an index, ${page}: ${JSON.stringify(filter)}`, async () => {
      const statement = auditStatement({ ...filter, limit: 51 }, bound);
      const rows = await query<{ 'QUERY PLAN': string }>(db, sql`explain (costs off) ${statement}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      assert.match(plan, /Index Scan (using|on) audit_entry_\w+_idx/, plan);
      assert.doesNotMatch(plan, /Seq Scan on audit_entry/, plan);
    });
  }
}

test('[AUDIT-3] the pages of a filter have each of its entries once, newest first', async () => {
  const filter: AuditFilter = { actor_ids: [3, 4], subject_type: 'role', from, until: new Date('2026-05-01') };
  const expected = await query<{ id: number }>(
    db,
    sql`select id from audit_entry where actor_id in (3, 4) and action = 'role.rename' and happened_at >= ${from}
           and happened_at < '2026-05-01' order by happened_at desc, id desc`,
  );
  const seen: number[] = [];
  for (let before: number | null | undefined; before !== null; ) {
    const { data, next_before } = await listAudit(db, { ...filter, before: before ?? undefined, limit: 30 });
    seen.push(...data.map((entry) => entry.id));
    before = next_before;
  }
  assert.ok(seen.length > 50);
  assert.deepEqual(
    seen,
    expected.map(({ id }) => id),
  );
  assert.deepEqual((await listAudit(db, { actor_ids: [] })).data, []);
  await assert.rejects(listAudit(db, { before: 999_999 }), { status: 422 });
});

test('[AUDIT-3] each filter finds exactly its entries, including those at its start and excluding those at its end', async () => {
  const [first] = await query<{ id: number; visit_id: string }>(
    db,
    sql`insert into audit_entry (happened_at, layer, action, visit_id)
        values (${from}, 'admin', 'user.update', gen_random_uuid()), (${until}, 'admin', 'user.update', gen_random_uuid())
        returning id, visit_id`,
  );
  const all = await query<AuditRecord>(db, sql`select * from audit_entry order by happened_at desc, id desc`);
  const isFound = (entry: AuditRecord, filter: AuditFilter) =>
    (filter.actor_ids?.includes(entry.actor_id ?? 0) ?? true) &&
    [undefined, entry.action].includes(filter.action) &&
    [undefined, entry.action.split('.')[0]].includes(filter.subject_type) &&
    [undefined, entry.subject_id].includes(filter.subject_id) &&
    [undefined, entry.case_id].includes(filter.case_id) &&
    [undefined, entry.visit_id].includes(filter.visit) &&
    entry.happened_at.getTime() >= (filter.from?.getTime() ?? 0) &&
    entry.happened_at.getTime() < (filter.until?.getTime() ?? Number.POSITIVE_INFINITY);
  for (const filter of [...FILTERS, { visit: first?.visit_id }]) {
    const wanted = all.filter((entry) => isFound(entry, filter)).map(({ id }) => id);
    const { data } = await listAudit(db, { ...filter, limit: 30_000 });
    assert.ok(wanted.length > 0, JSON.stringify(filter));
    assert.deepEqual(
      data.map(({ id }) => id),
      wanted,
      JSON.stringify(filter),
    );
  }
});

test('[AUDIT-4] an entry comes with the names of its people and its case', async () => {
  const [newest] = (await listAudit(db, { case_id: 1, limit: 1 })).data;
  assert.ok(newest);
  const entry = await findAuditEntry(db, newest.id);
  assert.deepEqual(entry, newest);
  assert.ok((entry?.case_name ?? '') !== '');
  assert.equal(await findAuditEntry(db, 999_999), null);
  const actions = await listAuditActions(db);
  for (const action of ['case.update', 'disbursement.approve', 'role.rename', 'user.update']) assert.ok(actions.includes(action));
  assert.deepEqual(actions, [...new Set(actions)]);
});
