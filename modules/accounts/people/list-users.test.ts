import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexWords } from '@case-platform/lib/database/index-words';
import { query, sql } from '@case-platform/lib/sql';
import { createTestDatabase, vacuumAnalyze } from '../../../test/support/database.ts';
import { listUsers, listUsersStatement, type UserFilter } from './list-users.ts';
import { SEARCHED_PEOPLE } from './searched-people.ts';

const { db, pool, url } = await createTestDatabase();

/** A large platform: many parents and surrogates, few staff, and names that many people share. */
await pool.query(
  `insert into user_account (email_address, user_type, first_name, last_name, status, agency_id)
   select 'person-' || n || '@mail' || n % 50 || '.test',
          case when n % 400 = 0 then 'admin' when n % 100 = 1 then 'cm' when n % 3 = 0 then 'surrogate' else 'ip' end,
          'First' || n % 300, 'O''Last-' || n % 2000,
          case when n % 500 = 0 then 'deactivated' when n % 90 = 0 then 'invited' else 'active' end,
          case when n % 100 = 1 then 1 end
     from generate_series(1, 20000) n`,
);
await vacuumAnalyze({ url }, 'user_account');

const addresses = async (filter: UserFilter) =>
  (await listUsers(db, { byAddress: true, ...filter })).data.map((user) => user.email_address);

async function planOf(filter: UserFilter): Promise<string> {
  const statement = listUsersStatement({ byAddress: true, ...filter, limit: 26 });
  const rows = await query<{ 'QUERY PLAN': string }>(db, sql`explain (costs off) ${statement}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

const FILTERS: UserFilter[] = [
  {},
  { cursor: 10_000 },
  { user_type: 'admin' },
  { status: 'deactivated' },
  { agency_id: 1 },
  { role_id: 1 },
  { q: 'person-777' },
  { q: 'first7 o’last' },
  { q: 'root@demo.test' },
  { q: 'root@demo.test', user_type: 'admin' },
  { q: 'mail1', user_type: 'ip', status: 'active', cursor: 15_000 },
  { q: 'first7 o’last', byAddress: false },
];
for (const filter of FILTERS) {
  test(`[STAFF-1] the list of people uses an index: ${JSON.stringify(filter)}`, async () => {
    const plan = await planOf(filter);
    assert.doesNotMatch(plan, /Seq Scan on user_account/, plan);
    if (filter.q !== undefined) assert.match(plan, /user_account_search_idx/, plan);
  });
}

test('[STAFF-1] common words are found without reading everyone who has them', async () => {
  for (const byAddress of [true, false])
    for (const q of ['first', "o'last", 'first7', "first77 o'last"]) {
      const listedIds: number[] = [];
      for (let cursor: number | undefined; listedIds.length < 120; ) {
        const { data, next_cursor } = await listUsers(db, { q, byAddress, user_type: 'surrogate', cursor });
        listedIds.push(...data.map(({ id }) => id));
        if (next_cursor === null) break;
        cursor = next_cursor;
      }
      const { rows } = await pool.query<{ id: string }>(
        `select id from user_account where user_type = 'surrogate' and email_address like 'person-%'
            and to_tsvector('simple', first_name || ' ' || last_name) @@ to_tsquery('simple', $1) order by id desc`,
        [
          q
            .split(' ')
            .map((word) => `${word.replaceAll("'", '<->')}:*`)
            .join(' & '),
        ],
      );
      assert.deepEqual(
        listedIds,
        rows.slice(0, listedIds.length).map(({ id }) => Number(id)),
        q,
      );
      assert.ok(listedIds.length >= Math.min(rows.length, 120), q);
    }
  const common = listUsersStatement({ q: 'first', byAddress: true, limit: 26 }, true);
  const plan = await query<{ 'QUERY PLAN': string }>(db, sql`explain (costs off) ${common}`);
  assert.doesNotMatch(JSON.stringify(plan), /user_account_search_idx|Seq Scan on user_account/);
});

test('[STAFF-1] people are found by the beginnings of names and addresses, all of which must match', async () => {
  assert.ok((await addresses({ q: 'ele mar' })).includes('escrow@demo.test'));
  assert.deepEqual(await addresses({ q: 'Elena Nobody' }), []);
  assert.deepEqual(await addresses({ q: 'person-777@mail27.test' }), ['person-777@mail27.test']);
  assert.deepEqual(await addresses({ q: 'person-7771' }), ['person-7771@mail21.test']);
  assert.ok((await addresses({ q: 'demo.test' })).includes('totp-admin@demo.test'));
  assert.ok((await addresses({ q: 'totp-adm' })).includes('totp-admin@demo.test'));
  assert.equal((await addresses({ q: "O'Last-1999" })).length, 10);
  assert.equal((await addresses({ q: 'O’Last-1999' })).length, 10, 'as phones type it');
  assert.equal((await addresses({ q: "o'last-199", limit: 100 })).length, 100);
});

test('[STAFF-1, API-12] accents and apostrophes make no difference, before and after rows are rewritten', async () => {
  await pool.query(`insert into user_account (email_address, user_type, first_name, last_name)
                    values ('j.perez+x@obrien-mail.test', 'ip', 'José', 'O’Brien-Łukasz'), ('lin@x.test', 'ip', '王', '小明')`);
  const byName = async (q: string) => (await addresses({ q, byAddress: false })).includes('j.perez+x@obrien-mail.test');
  assert.ok(await byName('José'));
  await pool.query(`update user_account set search_version = 2 where email_address like 'person-%'`);
  // A table with more rows than one run indexes does not keep others waiting.
  const endless = {
    read: (limit: number) => sql`select 1 as id, '' as text from generate_series(1, ${limit})`,
    store: () => sql`select 1`,
  };
  assert.equal(await indexWords(db, [endless, SEARCHED_PEOPLE]), true);
  for (const q of ["O'Brien", 'O’Brien', 'obrien', 'jose', 'JOSE\u0301', "jose o'brien-luk", 'brien lukasz'])
    assert.ok(await byName(q), q);
  assert.ok(!(await byName('perez')) && !(await byName('obrien-mail')), 'an address stays hidden');
  for (const q of ['perez', 'obrien-mail', 'j.perez+x@obrien']) assert.equal((await addresses({ q })).length, 1, q);
  assert.deepEqual(await addresses({ q: '小', byAddress: false }), ['lin@x.test']);
});

test('[SHOWN-3] without addresses people are found by their names only', async () => {
  const byName = (q: string) => addresses({ q, byAddress: false });
  assert.ok((await byName('ele mar')).includes('escrow@demo.test'));
  for (const q of ['person-777@mail27.test', 'person-7771', 'demo.test', 'totp-adm', 'elena mar demo', 'mail1']) {
    assert.deepEqual(await byName(q), [], q);
  }
  assert.deepEqual((await listUsers(db, { q: 'both@demo.test' })).data, [], 'nor by default');
});

test('[LAYER-2] an address in full finds all of its records; the type picks one', async () => {
  assert.deepEqual(await addresses({ q: ' Both@Demo.test' }), ['both@demo.test', 'both@demo.test']);
  const { data } = await listUsers(db, { q: 'both@demo.test', user_type: 'surrogate', byAddress: true });
  assert.deepEqual(
    data.map(({ first_name, user_type }) => [first_name, user_type]),
    [['Camila', 'surrogate']],
  );
});

test('[STAFF-1] filters narrow the list', async () => {
  const managers = await listUsers(db, { user_type: 'cm', agency_id: 1, status: 'active', limit: 100 });
  assert.ok(managers.data.length === 100 && managers.data.every(({ user_type }) => user_type === 'cm'));
  assert.ok(managers.data.every(({ agency_name }) => agency_name === 'Fernhill Surrogacy'));
  const [role] = await query<{ id: number }>(db, sql`select id from admin_role where name = 'Viewer'`);
  assert.deepEqual(await addresses({ role_id: role?.id }), ['viewer@demo.test']);
});

test('[API-1] keyset pages contain everyone once, the newest first', async () => {
  const listedIds: number[] = [];
  let cursor: number | undefined;
  do {
    const page = await listUsers(db, { q: 'first7', limit: 7, cursor });
    listedIds.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(
    listedIds,
    [...new Set(listedIds)].sort((a, b) => b - a),
  );
  const { rows } = await pool.query(`select count(*)::int as count from user_account where first_name ~ '^First7'`);
  assert.equal(listedIds.length, rows[0].count);
});

for (const q of ["'", ':*', '& | !', '\\', '<->', "a'':b", '%', '@', '....', '日本', 'x'.repeat(200), 'a '.repeat(100)]) {
  test(`[API-6] any words can be searched for: ${q.slice(0, 20)}`, async () => {
    assert.ok(Array.isArray(await addresses({ q })));
  });
}
