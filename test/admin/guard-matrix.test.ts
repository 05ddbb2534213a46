import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permission } from '@case-platform/modules/accounts';
import { listCatalogue, permissionsIn } from '@case-platform/modules/accounts';
import { CASE_1, CASE_2, type CastName } from '../support/cast.ts';
import { TEST_SECRETS } from '../support/database.ts';
import {
  type Asked,
  ask,
  cell,
  committedMatrix,
  formatMatrix,
  type MatrixRow,
  type Outcome,
  toOutcome,
} from '../support/guard-matrix.ts';
import { startAdmin, type Visitor } from './start-admin.ts';

const TITLE = [
  'Access to every route of the server-rendered application, from real requests of every kind of visitor.',
  'own/foreign: on a case of theirs, and on one of other people; one word if both are the same.',
  'admin+: with exactly the permissions that the route names. admin-: with every other one, except view_all_cases.',
  'led: redirected to the redirect_to of the guard, instead of a 403.',
  'Keys of the JSON API (agency, master) have no access here. Made by UPDATE_GUARD_MATRIX=1 npm test -- this test.',
];
const NOBODY = ['anonymous', 'agency key', 'master key'];
const OTHERS = { surrogate: 'surrogate', cm: 'manager', owner: 'owner', ip: 'parent', ip_rep: 'rep' } as const;
const PRINCIPALS = [...NOBODY, ...Object.keys(OTHERS), 'admin+', 'admin-'];
const HEADERS = {
  'agency key': { 'x-api-key': 'demo-agency-key-1-0123456789abcdef' },
  'master key': { 'x-master-api-key': TEST_SECRETS.masterApiKey },
};
const PUBLIC = 'publicRoute';

const admin = await startAdmin();
const { pool } = admin;
const { rows: staff } = await pool.query(`select id, admin_role_id from user_account where email_address = 'viewer@demo.test'`);
await pool.query('insert into case_admin (case_id, user_id) values ($1, $2) on conflict do nothing', [CASE_1, staff[0].id]);

type Guard = { kind: string; options: Map<string, string[]> };

function readGuard(text: string): Guard {
  const [, kind = '', inside = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  if (kind === PUBLIC) return { kind, options: new Map() };
  const options = new Map(
    inside.split(', ').map((part): [string, string[]] => {
      const [name = '', values = ''] = part.split(': ');
      return [name, values.split(' ')];
    }),
  );
  return { kind, options };
}

function permissionsOf({ options }: Guard): Permission[] {
  const category = options.get('category_check')?.[0] as Parameters<typeof permissionsIn>[0] | undefined;
  return [...((options.get('perm_check') ?? []) as Permission[]), ...(category === undefined ? [] : permissionsIn(category))];
}

async function grantExactly(permissions: readonly string[]): Promise<void> {
  await pool.query('delete from admin_role_permission where admin_role_id = $1', [staff[0].admin_role_id]);
  await pool.query('insert into admin_role_permission select $1, unnest($2::text[])', [staff[0].admin_role_id, permissions]);
}

/** Real objects for routes whose access depends on them. The others get an id that does not exist. */
const { rows: chains } = await pool.query<{ case_id: number; id: number }>(
  'select case_id, min(id) as id from message_chain group by 1',
);
const chainOf = new Map(chains.map(({ case_id, id }) => [case_id, id]));
const { rows: requests } = await pool.query<{ case_id: number; id: number }>(
  // The requests are submitted, because drafts are closed to staff by their owner and not by a guard.
  `insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by, status,
                                     submitted_by, submitted_at)
   select p.case_id, 100, 'Travel', 'Train', min(p.user_id), min(p.user_id), 'submitted', min(p.user_id), now()
     from case_participant p
    where p.left_at is null group by 1 returning case_id, id`,
);
const requestOf = new Map(requests.map(({ case_id, id }) => [case_id, id]));
const NOBODYS = 999_999;

function pathOf(url: string, caseId: number): string {
  return url.replaceAll(/:(\w+)/g, (_, name: string) => {
    if (name === 'case_id') return String(caseId);
    if (name === 'chain_id') return String(chainOf.get(caseId) ?? NOBODYS);
    if (name === 'disbursement_id') return String(requestOf.get(caseId) ?? NOBODYS);
    return String(NOBODYS);
  });
}

interface Signed {
  visitor: Visitor;
  csrf: string;
}

async function signIn(name: CastName): Promise<Signed> {
  const visitor = await admin.as(name);
  return { visitor, csrf: /name="_csrf" value="([^"]+)"/.exec((await visitor.get('/account')).text)?.[1] ?? '' };
}

function request(method: string, url: string, caseId: number, { headers = {}, signed }: { headers?: object; signed?: Signed }) {
  const cookie = signed === undefined ? '' : [...signed.visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const form = method === 'GET' ? {} : { body: new URLSearchParams({ message: 'x' }) };
  return ask(`${admin.baseUrl}${pathOf(url, caseId)}`, {
    method,
    headers: { ...headers, cookie, 'x-csrf-token': signed?.csrf ?? '' },
    ...form,
  });
}

/** Counts a 404 as `in`, because it comes after the guard, for an object that does not exist or is another person's. */
const pastTheGuard = (request: Asked, redirectTo?: string): Outcome =>
  toOutcome(request.status === 404 ? { ...request, status: 200 } : request, redirectTo);

async function askAll(method: string, url: string, guard: Guard): Promise<string[]> {
  const cells: string[] = [];
  const redirectTo = guard.options.get('redirect_to')?.[0];
  const askBoth = async (who: Parameters<typeof request>[3]): Promise<string> => {
    const own = pastTheGuard(await request(method, url, CASE_1, who), redirectTo);
    if (!/:(case|disbursement)_id/.test(url)) return own;
    return cell(own, pastTheGuard(await request(method, url, CASE_2, who), redirectTo));
  };
  for (const name of NOBODY) cells.push(await askBoth({ headers: HEADERS[name as keyof typeof HEADERS] ?? {} }));
  // A route that ends sessions gets a new sign-in.
  for (const name of Object.values(OTHERS)) cells.push(await askBoth({ signed: await signedIn(name, url) }));
  const own = permissionsOf(guard);
  await grantExactly(own);
  cells.push(await askBoth({ signed: await signedIn('viewer', url) }));
  await grantExactly(
    listCatalogue()
      .map(({ value }) => value)
      .filter((value) => !own.includes(value) && value !== 'view_all_cases'),
  );
  cells.push(await askBoth({ signed: await signedIn('viewer', url) }));
  return cells;
}

const sessions = new Map<CastName, Signed>();
async function signedIn(name: CastName, url: string): Promise<Signed> {
  if (url === '/logout') return signIn(name);
  const session = sessions.get(name) ?? (await signIn(name));
  sessions.set(name, session);
  return session;
}

/** The rules of the guards, written independently of the code (GUARD-3, GUARD-4). */
function expected({ kind, options }: Guard, principal: string): string {
  if (kind === PUBLIC) return 'in';
  if (NOBODY.includes(principal)) return kind === 'pageGuard' ? 'login' : '401';
  const isAdmin = principal.startsWith('admin');
  const type = isAdmin ? 'admin' : principal;
  const allowed = options.get('user_types')?.includes(type) ?? false;
  const needed = permissionsOf({ kind, options });
  const holds = needed.length === 0 || principal === 'admin+';
  const verdict = (seesCase: boolean): Outcome => {
    const a = allowed && holds && seesCase;
    const fails = kind === 'pageGuard' ? !a && !isAdmin : !a || !isAdmin;
    const refused = kind === 'pageGuard' && options.has('redirect_to') ? 'led' : '403';
    return fails ? refused : 'in';
  };
  return cell(verdict(true), verdict(!options.has('case_id')));
}

const rows: MatrixRow[] = [];
for (const { method, url, guard } of admin.guardedRoutes) {
  rows.push({ route: `${method.padEnd(6)} ${url}`, cells: await askAll(method, url, readGuard(guard)) });
}

test('[GUARD-11] the people who may call each route are those in the committed table', async () => {
  const now = formatMatrix(TITLE, PRINCIPALS, rows);
  assert.equal(now, await committedMatrix(new URL('./guard-matrix.txt', import.meta.url), now));
});

for (const { method, url, guard } of admin.guardedRoutes) {
  test(`[GUARD-3, GUARD-4] ${method} ${url}: ${guard}`, () => {
    const row = rows.find(({ route }) => route === `${method.padEnd(6)} ${url}`);
    const wanted = PRINCIPALS.map((principal) => expected(readGuard(guard), principal));
    assert.deepEqual(row?.cells, wanted);
  });
}
