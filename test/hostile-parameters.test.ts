import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GuardedRoute } from '@case-platform/lib/http-server';
import { startAdmin } from './admin/start-admin.ts';
import { CASE_1 } from './support/cast.ts';
import { fundCase } from './support/money.ts';
import { startApi } from './support/platform.ts';

const api = await startApi({ limits: { proof_code: 10_000 } });
const admin = await startAdmin({ database: api, storage: api.storage });
const [root, parent, staff] = [await api.as('root'), await api.as('parent'), await admin.as('root')];
// A case without money gets no proof of funds, so the test would not notice if a proof wrote a row.
await fundCase(api, CASE_1, 50_000);
const chain = (await parent.form('/api/messages', { message: 'Hello', case_id: String(CASE_1) })).body.chain.id;
const money = { amount_cents: 100, category: 'Medical', description: 'A visit' };
const request = (await parent.post(`/api/cases/${CASE_1}/disbursements`, money)).body.id;

/** Texts that are not the one spelling of an id (API-3). */
const IDS = [
  '0x1',
  '1e0',
  '1.0',
  '01',
  '+1',
  ' 1',
  '1 ',
  '-1',
  '0',
  '１',
  '1,2',
  '1_0',
  'NaN',
  '9'.repeat(16),
  '9'.repeat(40),
  '\0',
  '%',
];
const IN_PATHS = ['0x1', '1e0', '1.0', '01', '+1', ' 1', '１', '9'.repeat(16)];
const DAYS = [
  '0000-01-01',
  '0001-01-01',
  '9999-12-31',
  '10000-01-01',
  '-000001-01-01',
  '2026-02-30',
  '2026-13-01',
  '2026-00-10',
  '2026-1-1',
  '2026-01-01T00:00:00Z',
  '2026-01-01 .+00',
  'infinity',
  'now',
  'yesterday',
  '２０２６-01-01',
  '2026-01-01\0',
];
/** Cursors of each form with one wrong part. lib/cursor.test.ts tries the spellings of the parts. */
const CURSORS = [
  ...['2026-01-01 .+00', '0000-01-01 00:00:00+00', 'infinity', '\0'].map((key) => JSON.stringify(['-updated_at', key, 1])),
  ...['created_at', 'name'].map((order) => JSON.stringify([order, '\0', 1])),
  ...['2026-02-30 00:00:00+00', 'now', '\ud800'].map((key) => JSON.stringify([key, 0, 1])),
  'null',
  '{}',
  '[[1]]',
  '["-updated_at","2026-01-01 00:00:00+00",1e99]',
  '["2026-01-01 00:00:00+00",9,1]',
  ...['0x1', '9'.repeat(16)].flatMap((id) => [`before:${id}`, `document:${id}`, `2026-01-01:${id}`]),
  ...['10000-01-01', '2026-02-30', 'infinity', '2026-01-01\0'].map((day) => `${day}:1`),
].map((text) => Buffer.from(text).toString('base64url'));
const NUMBERS = ['0', '-1', '101', '1e1', '0x10', '1.0', ' 5', '05', 'NaN', '99999999999999999999'];
const WORDS = ['\0\ud800', "'; --", '__proto__', 'x'.repeat(5000)];

const VALUES: Record<string, readonly string[]> = {
  cursor: [...CURSORS, 'x', '=', '%', '\0', 'é'],
  from: DAYS,
  to: DAYS,
  due: DAYS,
  limit: NUMBERS,
  months: NUMBERS,
  before: IDS,
};
const isId = (name: string) => name.endsWith('_id') || name === 'before';
const valuesFor = (name: string) => VALUES[name] ?? (isId(name) ? IDS : WORDS);
/** Search words may be any text. Every other value above is invalid. */
const isFree = (name: string) => VALUES[name] === undefined && !isId(name);
/** A page that shows errors beside its fields. */
const SHOWS_WHAT_IS_WRONG = '/cases/:case_id/money';
/** Valid values of other parameters that a route may need. */
const OTHERS: Record<string, string> = { from: '2026-01-01', to: '2026-01-31', format: 'csv', case_id: String(CASE_1) };

function pathOf(url: string): string {
  return url
    .replace(':chain_id', String(chain))
    .replace(/(disbursements\/):\w+/, `$1${request}`)
    .replaceAll(/:\w+/g, '1');
}

function queryOf({ query }: GuardedRoute, name: string, value: string): string {
  const others = Object.entries(OTHERS).filter(([other]) => other !== name && query.includes(other));
  return new URLSearchParams([...others, [name, value.toWellFormed()]]).toString();
}

/** Reading may change these tables: counters of calls, and the last use of a session. The outbox is emptied at any time. */
const MAY_CHANGE = ['throttle', 'call_count', 'admin_session', 'outbox', 'outbox_publisher', 'database_run'];

/** Returns a digest of the rows of each table, which changes with every update. */
async function digestTables(): Promise<Record<string, string>> {
  const { rows } = await api.pool.query<{ name: string; digest: string }>(
    `select c.relname as name, (xpath('/row/digest/text()', query_to_xml(format(
              $q$select md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) as digest from public.%I t$q$,
              c.relname), false, true, '')))[1]::text as digest
       from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> all($1::text[])`,
    [MAY_CHANGE],
  );
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** Returns the GET routes whose answer ends. */
const readingRoutes = (routes: GuardedRoute[]) =>
  routes.filter(({ method, url }) => method === 'GET' && !url.includes('events') && !url.startsWith('/health'));

const REFUSALS = [404, 422];

interface Answered {
  status: number;
  /** The first field with an error. */
  field?: string | undefined;
}

const servers = [
  {
    name: 'the API',
    routes: readingRoutes(api.guardedRoutes),
    ask: async (path: string): Promise<Answered> => {
      const { status, body } = await root.call('GET', path);
      return { status, field: body?.errors?.[0]?.field };
    },
  },
  {
    name: 'the staff application',
    routes: readingRoutes(admin.guardedRoutes),
    ask: async (path: string): Promise<Answered> => ({ status: (await staff.get(path)).status }),
  },
];

for (const { name: server, routes, ask } of servers) {
  describe(`[API-2, ERROR-5] any parameter in an address of ${server}`, () => {
    test('a wrong cursor, date, id, or number is rejected, with its field where there are fields', {
      timeout: 120_000,
    }, async () => {
      const wrong: unknown[] = [];
      const pairs = routes.flatMap((route) => route.query.map((name) => ({ route, name })));
      assert.ok(pairs.length > 25, String(pairs.length));
      for (const { route, name } of pairs) {
        const path = pathOf(route.url);
        await Promise.all(
          valuesFor(name).map(async (value) => {
            const { status, field } = await ask(`${path}?${queryOf(route, name, value)}`);
            const isRefused = REFUSALS.includes(status) && (status === 404 || field === undefined || field === name);
            const mayAnswer = isFree(name) || route.url === SHOWS_WHAT_IS_WRONG;
            if (status >= 500 || !(mayAnswer || isRefused)) wrong.push([route.url, name, value, status, field]);
          }),
        );
      }
      assert.deepEqual(wrong, []);
    });

    test('no reading route adds, changes, or removes a row', async () => {
      const before = await digestTables();
      for (const { url, query } of routes) {
        const others = Object.entries(OTHERS).filter(([name]) => query.includes(name));
        const { status } = await ask(`${pathOf(url)}?${new URLSearchParams(others)}`);
        assert.ok(status < 500, url);
      }
      assert.deepEqual(await digestTables(), before);
    });

    test('[API-3] an id in a path has one spelling', async () => {
      const wrong: unknown[] = [];
      const parts = routes.flatMap(({ url }) => [...url.matchAll(/:\w+/g)].map(([parameter]) => ({ url, parameter })));
      for (const { url, parameter } of parts.filter(({ parameter }) => /id$/.test(parameter))) {
        await Promise.all(
          IN_PATHS.map(async (id) => {
            const { status } = await ask(pathOf(url.replace(parameter, encodeURIComponent(id))));
            if (!REFUSALS.includes(status)) wrong.push([url, id, status]);
          }),
        );
      }
      assert.deepEqual(wrong, []);
    });
  });
}
