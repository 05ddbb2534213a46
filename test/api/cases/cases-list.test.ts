import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexWords } from '@case-platform/lib/database/index-words';
import { prefixQuery } from '@case-platform/lib/database/search-query';
import { CASE_SORTS, listCases, SEARCHED_CASES } from '@case-platform/modules/cases';
import fc from 'fast-check';
import { CASE_1, CASE_2, CASE_3, type CastName } from '../../support/cast.ts';
import { createTestDatabase, vacuumAnalyze } from '../../support/database.ts';
import { grant } from '../../support/grant.ts';
import { type Client, startApi } from '../../support/platform.ts';

const api = await startApi();
const escrow = await api.as('escrow');
const root = await api.as('root');

async function list(who: Client, query = ''): Promise<{ ids: number[]; next: string | null }> {
  const { status, body } = await who.get(`/api/cases${query}`);
  assert.equal(status, 200, query);
  return { ids: body.data.map(({ id }: { id: number }) => id), next: body.next_cursor };
}

test('[CASE-3] GET /api/cases lists the cases of the caller, and no others', async () => {
  const theirs: [CastName, number[]][] = [
    ['parent', [CASE_1]],
    ['surrogate', [CASE_1]],
    ['manager', [CASE_1]],
    ['owner', [CASE_1]],
    ['rep', [CASE_1]],
    ['bothParent', [CASE_2]],
    ['bothSurrogate', [CASE_2]],
    ['escrow', [CASE_1, CASE_2]],
    ['root', [CASE_1, CASE_2, CASE_3]],
    ['viewer', []],
  ];
  for (const [name, ids] of theirs) assert.deepEqual((await list(await api.as(name), '?sort=created_at')).ids.sort(), ids, name);
});

test('[CASE-3, API-2] the list takes filters and a sort value, and anything unknown is a 422', async () => {
  await api.pool.query("update case_file set status = 'on_hold' where id = $1", [CASE_2]);
  assert.deepEqual((await list(escrow, '?status=on_hold')).ids, [CASE_2]);
  assert.deepEqual((await list(escrow, '?status=active')).ids, [CASE_1]);
  assert.deepEqual((await list(escrow, '?status=active,on_hold&sort=name')).ids, [CASE_1, CASE_2]);
  assert.deepEqual((await list(escrow, '?q=case%202')).ids, [CASE_2]);
  assert.deepEqual((await list(root, '?sort=name')).ids, [CASE_1, CASE_2, CASE_3]);
  assert.deepEqual((await list(root, '?sort=-name')).ids, [CASE_3, CASE_2, CASE_1]);
  for (const query of [
    '?status=open',
    '?status=active,open',
    '?status=active,',
    '?foo=bar',
    '?sort=id',
    '?sort=--name',
    '?limit=0',
    '?limit=101',
    '?cursor=x',
  ])
    assert.equal((await root.get(`/api/cases${query}`)).status, 422, query);
});

test('[CASE-3, API-12] the people of a case and staff find it alike, by its name in any spelling', async () => {
  const { rows } = await api.pool.query('select name from case_file where id = $1', [CASE_1]);
  await api.pool.query("update case_file set name = 'Whitlock–Lindgren & Peña’s “Søn”' where id = $1", [CASE_1]);
  await indexWords(api.db, [SEARCHED_CASES]);
  const readers = [root, escrow, await api.as('parent'), await api.as('owner')];
  for (const q of ['Whitlock-Lin', 'whitlock lindgren', 'lind', 'pena', "PEÑA'S", 'Pen\u0303a', '"søn"', 'son whit'])
    for (const who of readers) assert.deepEqual((await list(who, `?q=${encodeURIComponent(q)}`)).ids, [CASE_1], q);
  for (const who of readers) assert.deepEqual((await list(who, '?q=%26%7C%21')).ids, []);
  await api.pool.query('update case_file set name = $2 where id = $1', [CASE_1, rows[0].name]);
});

test('[API-1] pages of the list follow each other without a gap, in any order', async () => {
  for (const sort of ['updated_at', '-updated_at', 'name', '-name', 'created_at', '-created_at']) {
    const whole = (await list(root, `?sort=${sort}`)).ids;
    const pages: number[] = [];
    let next: string | null = null;
    do {
      const page = await list(root, `?sort=${sort}&limit=1${next === null ? '' : `&cursor=${next}`}`);
      pages.push(...page.ids);
      next = page.next;
    } while (next !== null && pages.length <= whole.length);
    assert.deepEqual(pages, whole, sort);
    assert.equal(whole.length, 3);
  }
});

test('[CASE-3, API-6] staff find the cases with the words, common, rare, or far away, in any order, and nothing of others', async () => {
  const { url, pool, db } = await createTestDatabase();
  await grant(pool, 'viewer', 'view_all_cases');
  const viewer = await api.as('viewer');
  // `herd` is in every case, `okapi` in a tenth, `tapir` in those that changed longest ago, and `dugong` in a few, and in the
  // name of a person who left one. Each person is on two cases.
  await pool.query(
    `with words as (
       select n, concat_ws(' ', 'Herd', case when n % 10 = 3 then 'okapi' end, case when n > 800 then 'tapir' end,
                           case when n % 300 = 5 then 'dugong' end) as said from generate_series(1, 1600) n),
     people as (
       insert into user_account (email_address, user_type, first_name, last_name)
       select 'zebra-' || n || '@gnu' || n % 9 || '.test', 'ip', case when n % 4 = 1 then said else 'Gazelle' end, 'O''Kudu' || n % 40
         from words where n <= 800 returning id),
     numbered as (select id, row_number() over (order by id) as n from people),
     cases as (
       insert into case_file (name, status, agency_id, escrow_specialist_id, created_at, updated_at)
       select case when n % 3 = 0 then 'Plain' else said end || ' ' || case when n > 800 then 203 else n % 50 end, case when n % 5 = 0 then 'closing' else 'active' end,
              case when n % 7 = 0 then 1 end, case when n % 2 = 0 then $1::bigint end,
              now() - n * 37 % 1600 * interval '1 hour', now() - n / 4 * interval '1 hour'
         from words returning id),
     ordered as (select id, row_number() over (order by id) as n from cases)
     insert into case_participant (case_id, user_id, left_at)
     select c.id, p.id, case when c.n % 11 = 0 then now() end from ordered c join numbered p on p.n = (c.n + 1) / 2`,
    [escrow.userId],
  );
  await vacuumAnalyze({ url }, 'case_file', 'case_participant', 'user_account');
  const seers = { root, escrow, viewer };
  const accounts = new Map<string, Parameters<typeof listCases>[1]>();
  for (const [name, { userId }] of Object.entries(seers))
    accounts.set(name, (await pool.query('select * from user_account where id = $1', [userId])).rows[0]);
  const words = [
    'herd',
    'okapi',
    'tapir',
    'dugong',
    'plain',
    'gazelle',
    'kudu',
    'o’kudu7',
    'zebra',
    'gnu1',
    'her',
    '7',
    '#12',
    '#203',
    'nobody',
  ];
  const searches = fc.record({
    who: fc.constantFrom('root', 'escrow', 'viewer'),
    q: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 2 }).map((some) => some.join(' ')),
    sort: fc.constantFrom(...CASE_SORTS),
    status: fc.constantFrom('closing' as const, undefined, undefined),
    agency_id: fc.constantFrom(1, undefined, undefined),
    mine: fc.boolean(),
    limit: fc.integer({ min: 1, max: 100 }),
  });
  type Search = typeof searches extends fc.Arbitrary<infer One> ? One : never;
  const search = async ({ who, q, sort, status, agency_id, mine, limit }: Search) => {
    const direction = sort.startsWith('-') ? 'desc' : 'asc';
    const { rows } = await pool.query<{ id: string }>(
      `select c.id from case_file c
        where (c.search @@ $1::tsquery or c.id = $2 or exists (
                select from case_participant p join user_account u on u.id = p.user_id
                 where p.case_id = c.id and p.left_at is null and u.search @@ $1::tsquery
                   and ($3 or to_tsvector('simple', u.first_name || ' ' || u.last_name) @@ $1::tsquery)))
          and ($4 or c.escrow_specialist_id = $5 or exists (select from case_admin a where a.case_id = c.id and a.user_id = $5))
          and ($6::text is null or c.status = $6) and ($7::bigint is null or c.agency_id = $7)
        order by c.${sort.replace('-', '')} ${direction}, c.id ${direction} limit $8`,
      [
        prefixQuery(q),
        Number(/^#?(\d+)$/.exec(q)?.[1] ?? 0),
        who !== 'viewer',
        who !== 'escrow' && !mine,
        seers[who as keyof typeof seers].userId,
        status ?? null,
        agency_id ?? null,
        3 * limit,
      ],
    );
    const ids: number[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 3; page++) {
      const { data, next_cursor } = await listCases(db, accounts.get(who) as never, {
        q,
        sort,
        status,
        agency_id,
        mine,
        limit,
        cursor,
      });
      ids.push(...data.map(({ id }) => id));
      if (next_cursor === null) break;
      cursor = next_cursor;
    }
    assert.deepEqual(
      ids,
      rows.map(({ id }) => Number(id)),
    );
    return ids.length;
  };
  const all = { status: undefined, agency_id: undefined, mine: false, limit: 60 };
  // Words far down the list, words that are common but not in this person's few cases, an address that not everyone may search,
  // and the number of a case.
  assert.equal(await search({ who: 'root', q: 'tapir', sort: '-updated_at', ...all }), 180);
  assert.equal(await search({ who: 'root', q: 'zebra', sort: 'name', ...all }), 180);
  assert.equal(await search({ who: 'viewer', q: 'zebra', sort: 'name', ...all }), 0);
  assert.ok((await search({ who: 'viewer', q: 'o’kudu7', sort: 'name', ...all })) > 0, 'an apostrophe as telephones write it');
  assert.ok((await search({ who: 'root', q: 'dugong', sort: 'name', ...all })) > 0, 'not the case that a person with it left');
  assert.equal(await search({ who: 'root', q: '#203', sort: '-updated_at', ...all }), 180);
  await fc.assert(
    fc.asyncProperty(searches, async (one) => void (await search(one))),
    { numRuns: 60 },
  );
});
