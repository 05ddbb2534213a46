import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { CASE_1, CASE_2, type CastName } from '../support/cast.ts';
import { TEST_SECRETS } from '../support/database.ts';
import { ask, cell, committedMatrix, formatMatrix, type MatrixRow, toOutcome } from '../support/guard-matrix.ts';
import { type Client, startApi } from '../support/platform.ts';

const TITLE = [
  'Who gets in where: every route of the JSON API, asked for real by every kind of caller.',
  'own/foreign: on a case of theirs (its chains, requests, documents), and on one of other people; one word where alike.',
  'admin+: an admin of the case with every permission but view_all_cases. admin-: one of the case without any.',
  'The last columns: admin- with this one permission.',
  'in: past guard and access, whatever became of the request then. Made by UPDATE_GUARD_MATRIX=1 npm test -- this test.',
];
const PEOPLE = {
  surrogate: 'surrogate',
  case_manager: 'manager',
  agency_owner: 'owner',
  intended_parent: 'parent',
  ip_company: 'rep',
} as const;
const ADMINS = ['admin+', 'admin-'] as const;
/** The permissions that routes require. A test below compares this list with the guards. */
const PERMISSIONS = [
  'view_messages',
  'view_case_details',
  'edit_case_details',
  'edit_benefits',
  'view_drs',
  'create_drs',
  'edit_drs',
  'approve_drs',
  'create_nacha',
  'approve_nacha',
  'make_payments',
] as const;
const PRINCIPALS = ['anonymous', 'agency key', 'master key', ...Object.keys(PEOPLE), ...ADMINS, ...PERMISSIONS];
const NOBODYS = 999_999;

const api = await startApi({ limits: { proof_code: 1000 } });
const { pool } = api;

/** A body that passes guards and access checks. The call may still be rejected for other reasons. */
type Body = { json?: object; form?: Record<string, string> };
const money = { amount_cents: 100, category: 'Medical', description: 'A visit' };
const upload = { filename: 'a.pdf', content_type: 'application/pdf', size: 1000 };
const confirm = { file_key: 'uploads/00000000-0000-4000-8000-000000000000.pdf' };
const BODIES: Record<string, (ids: Ids) => Body> = {
  'POST /api/messages': ({ case_id }) => ({ form: { message: 'x', case_id: String(case_id) } }),
  'POST /api/messages/:chain_id': () => ({ form: { message: 'x' } }),
  'POST /api/messages/:chain_id/notes': () => ({ json: { note: 'x' } }),
  'POST /api/messages/:chain_id/viewed': () => ({ json: {} }),
  'POST /api/messages/:chain_id/unread': () => ({}),
  'PATCH /api/messages/:chain_id': () => ({ json: { status: 'open' } }),
  'POST /api/cases/:id/disbursements': () => ({ json: money }),
  'POST /api/cases/:id/proofs': () => ({ json: { addressee: 'A clinic' } }),
  'POST /api/cases/:id/proofs/:proof_id/withdraw': () => ({}),
  'POST /api/cases/:id/documents/upload-url': () => ({ json: upload }),
  'POST /api/cases/:id/documents/confirm': () => ({ json: confirm }),
  'PUT /api/cases/:id/benefits': () => ({ json: { data: [{ category: 'Medical', cap_cents: 100, period: 'case' }] } }),
  'PATCH /api/disbursements/:id': () => ({ json: { description: 'Another' } }),
  'PUT /api/disbursements/:id/chain': ({ chain_id }) => ({ json: { chain_id } }),
  'POST /api/disbursements/:id/submit': () => ({}),
  'POST /api/disbursements/:id/approve': () => ({ json: { version: 'x' } }),
  'POST /api/disbursements/:id/undo-approval': () => ({}),
  'POST /api/disbursements/:id/cancel': () => ({}),
  'POST /api/disbursements/:id/retry': () => ({ json: { reason: 'Cleared' } }),
  'POST /api/disbursements/:id/question': () => ({ json: { text: 'Is this yours?' } }),
  'POST /api/disbursements/:id/end': () => ({ json: { reason: 'Not needed' } }),
  'POST /api/disbursements/:id/deny': () => ({ json: { version: 'x', reason: 'Because' } }),
  'POST /api/disbursements/:id/files/upload-url': () => ({ json: upload }),
  'POST /api/disbursements/:id/files/confirm': () => ({ json: confirm }),
  'POST /api/notifications/subscribe': () => ({ json: { enabled: false } }),
  'PUT /api/notifications/preferences': () => ({
    json: { preferences: [{ event: 'new_message', channel: 'push', enabled: true }] },
  }),
  'POST /webhooks/sendgrid': () => ({ json: [] }),
  'POST /webhooks/twilio': () => ({ json: {} }),
  'POST /webhook': ({ case_id }) => ({ json: { id: `event-${case_id}`, type: 'x', case_id } }),
};
/** Routes whose access depends only on the caller, so an empty body is enough. */
const BY_CALLER_ALONE = /^\w+ \/(api\/user\/|internal\/)/;

interface Ids {
  case_id: number;
  chain_id: number;
  message_id: number;
  request_id: number;
}

const { rows: users } = await pool.query<{ id: number; email_address: string; user_type: string }>(
  'select id, email_address, user_type from user_account',
);
const idOf = (email: string) => users.find(({ email_address }) => email_address === email)?.id ?? 0;

async function addRole(name: string, email: string, granted: string): Promise<void> {
  const { rows } = await pool.query('insert into admin_role (name) values ($1) returning id', [name]);
  await pool.query(`insert into admin_role_permission select $1, value from admin_permission where ${granted}`, [rows[0].id]);
  await pool.query('update user_account set admin_role_id = $1 where id = $2', [rows[0].id, idOf(email)]);
  await pool.query('insert into case_admin (case_id, user_id) values ($1, $2) on conflict do nothing', [CASE_1, idOf(email)]);
}
await addRole('Everything', 'viewer@demo.test', `value <> 'view_all_cases'`);
await addRole('Nothing', 'finance@demo.test', 'false');

/** Creates a conversation with everyone on the case and a message of this person, and a request of this person. */
async function makeObjects(caseId: number, userId: number): Promise<Ids> {
  const { rows } = await pool.query(
    `with message as (
       insert into message (chain_id, from_id, from_type, to_admin, message)
       select nextval(pg_get_serial_sequence('message_chain', 'id')), id, user_type, user_type <> 'admin', 'Hello'
         from user_account where id = $2 returning id, chain_id),
     chain as (
       insert into message_chain (id, case_id, is_group, created_by, assigned_admin_id, last_message_id)
       select chain_id, $1, true, $2, $3, id from message),
     people as (
       insert into message_chain_group (chain_id, user_id, last_message_id)
       select chain_id, p.user_id, id from message, case_participant p where p.case_id = $1
       union select chain_id, o.id, message.id from message, user_account o, case_file f
              where f.id = $1 and o.user_type = 'owner' and o.agency_id = f.agency_id),
     request as (
       insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by)
       select $1, 100, 'Medical', 'A visit', (select min(user_id) from case_participant where case_id = $1), $2 returning id)
     select message.id as message_id, chain_id, request.id as request_id from message, request`,
    [caseId, userId, idOf('escrow@demo.test')],
  );
  return { case_id: caseId, ...rows[0] };
}

function pathOf(url: string, ids: Ids): string {
  return url
    .replace('/api/cases/:id', `/api/cases/${ids.case_id}`)
    .replace('/api/disbursements/:id', `/api/disbursements/${ids.request_id}`)
    .replace(':chain_id', String(ids.chain_id))
    .replace(':message_id', String(ids.message_id))
    .replace('/recipients', `/recipients?case_id=${ids.case_id}`)
    .replaceAll(/:\w+/g, String(NOBODYS));
}

async function askOnce(method: string, url: string, ids: Ids, headers: Record<string, string>) {
  const example = BODIES[`${method} ${url}`];
  const { json, form }: Body = example?.(ids) ?? (method === 'GET' || method === 'DELETE' ? {} : { json: {} });
  const init: RequestInit = { method, headers };
  if (json !== undefined)
    Object.assign(init, { body: JSON.stringify(json), headers: { ...headers, 'content-type': 'application/json' } });
  if (form !== undefined) {
    const body = new FormData();
    for (const [name, value] of Object.entries(form)) body.set(name, value);
    init.body = body;
  }
  return toOutcome(await ask(`${api.baseUrl}${pathOf(url, ids)}`, init));
}

const hasObject = (url: string) => /:|recipients|^\/webhook$|^\/api\/messages$/.test(url);

async function askBoth(method: string, url: string, userId: number, headers: Record<string, string>): Promise<string> {
  const own = await askOnce(method, url, await makeObjects(CASE_1, userId), headers);
  if (!hasObject(url) || (method === 'GET' && url === '/api/messages')) return own;
  return cell(own, await askOnce(method, url, await makeObjects(CASE_2, idOf('escrow@demo.test')), headers));
}

const clients = new Map<string, Client>();
for (const [principal, name] of [...Object.entries(PEOPLE), ['admin+', 'viewer'], ['admin-', 'finance']] as [
  string,
  CastName,
][]) {
  clients.set(principal, await api.as(name));
}

const few = clients.get('admin-') as Client;

async function askAll(method: string, url: string): Promise<string[]> {
  const someone = idOf('parent@demo.test');
  const keys = [{}, { 'x-api-key': 'demo-agency-key-1-0123456789abcdef' }, { 'x-master-api-key': TEST_SECRETS.masterApiKey }];
  const cells: string[] = [];
  for (const headers of keys) cells.push(await askBoth(method, url, someone, headers));
  for (const { userId, token } of clients.values()) {
    cells.push(await askBoth(method, url, userId, { authorization: `Bearer ${token}` }));
  }
  for (const permission of PERMISSIONS) {
    await grantAlone('Nothing', permission);
    cells.push(await askBoth(method, url, few.userId, { authorization: `Bearer ${few.token}` }));
  }
  await grantAlone('Nothing', null);
  return cells;
}

/** Reduces a role to one permission, or none. */
async function grantAlone(role: string, permission: string | null): Promise<void> {
  await pool.query(
    `with role as (select id from admin_role where name = $1),
          taken as (delete from admin_role_permission
                     where admin_role_id = (select id from role) and permission is distinct from $2)
     insert into admin_role_permission select id, $2 from role where $2::text is not null on conflict do nothing`,
    [role, permission],
  );
}

const routes = (await readFile(new URL('../../apps/api/routes.txt', import.meta.url), 'utf8'))
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => {
    const [method = '', url = '', ...guard] = line.replace(/ \| .*/, '').split(/\s+/);
    return { method, url, guard: guard.join(' ') };
  });
const rows: MatrixRow[] = [];
for (const { method, url } of routes) rows.push({ route: `${method.padEnd(6)} ${url}`, cells: await askAll(method, url) });

test('[GUARD-11] the people who may call each route are those in the committed table', async () => {
  const now = formatMatrix(TITLE, PRINCIPALS, rows);
  assert.equal(now, await committedMatrix(new URL('./guard-matrix.txt', import.meta.url), now));
});

test('[LAYER-5] the table has a column for each permission that a route requires', () => {
  const required = routes.flatMap(({ guard }) => /admins with ([a-z_ ]+)/.exec(guard)?.[1]?.split(' ') ?? []);
  assert.deepEqual([...new Set(required)].sort(), [...PERMISSIONS].sort());
});

/** Routes that an admin may call with any role, because they are only about the caller. */
const OF_THE_CALLER = /^\/api\/(user\/me|notifications)\b/;

test('[LAYER-5] every route that an admin can call names its permission, or is about the caller only', () => {
  const open = routes.filter(({ url, guard }) => guard.startsWith('user(') && !OF_THE_CALLER.test(url));
  assert.deepEqual(
    open.filter(({ guard }) => !guard.includes('admins with')),
    [],
  );
});

test('[GUARD-11] every route that changes something is called with a valid request', () => {
  const bare = routes.filter(({ method, url, guard }) => {
    const name = `${method} ${url}`;
    const needsNone = method === 'GET' || method === 'DELETE' || guard.startsWith('publicRoute') || BY_CALLER_ALONE.test(name);
    return !needsNone && BODIES[name] === undefined;
  });
  assert.deepEqual(bare, []);
});

for (const { method, url, guard } of routes) {
  const cells = () =>
    new Map(
      PRINCIPALS.map((principal, at) => [
        principal,
        rows.find(({ route }) => route === `${method.padEnd(6)} ${url}`)?.cells[at] ?? '',
      ]),
    );
  const without = (...names: string[]) =>
    [...cells()].filter(([principal]) => !names.includes(principal)).map(([, outcome]) => outcome);

  if (guard.startsWith('publicRoute')) continue;
  if (guard === 'agencyKey()') {
    test(`[KEY-1, KEY-5] ${method} ${url} accepts an agency's key and nothing else; a foreign case is a 404`, () => {
      assert.equal(cells().get('agency key'), 'in/404');
      assert.ok(without('agency key').every((outcome) => outcome === '401'));
    });
    continue;
  }
  if (guard === 'masterKey()') {
    test(`[KEY-8] ${method} ${url} accepts the master key and nothing else`, () => {
      assert.equal(cells().get('master key'), 'in');
      assert.ok(without('master key').every((outcome) => outcome === '401'));
    });
    continue;
  }
  test(`[GUARD-10, TOKEN-2] ${method} ${url} (${guard}) is closed without a token, and to other types`, () => {
    for (const caller of ['anonymous', 'agency key', 'master key']) assert.equal(cells().get(caller), '401', caller);
    const types = /^user\((?!admins with)([^,)]+)/.exec(guard)?.[1]?.split(' ');
    const needed = /admins with ([a-z_ ]+)/.exec(guard)?.[1]?.split(' ');
    if (needed !== undefined) {
      const closedTo = ['admin-', ...PERMISSIONS.filter((permission) => !needed.includes(permission))];
      for (const admin of closedTo) assert.equal(cells().get(admin), '403', admin);
    }
    if (types?.includes('admin') === false) for (const admin of ADMINS) assert.equal(cells().get(admin), '403');
    if (types?.join() === 'admin') for (const person of Object.keys(PEOPLE)) assert.equal(cells().get(person), '403');
  });
  if (hasObject(url) && url !== '/api/messages' && !/:(file|document)_id|confirm$/.test(url)) {
    // Finance works on the money of every case, so view_drs is enough to read it (REQUEST-11).
    const isMoney = /disbursements|scheduled-payments|benefits|statement|projection|proof-of-funds|proofs/.test(url);
    const openTo = method === 'GET' && isMoney ? ['admin+', 'view_drs'] : [];
    test(`[ERROR-2] ${method} ${url}: objects of other people's cases are never accepted`, () => {
      for (const outcome of without(...openTo)) assert.match(outcome, /^(401|403|404)$|\/(403|404)$/);
    });
  }
}
