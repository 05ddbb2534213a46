import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import pg from 'pg';
import { serverUrl } from '../support/database.ts';
import { startApi } from '../support/platform.ts';
import { committedPages } from '../web/committed-pages.ts';
import { emptyPlatform, MAIN, makeCases, makeToday, NEW, SECOND, signPeopleIn } from '../web/page-cases.ts';
import { pageLines } from '../web/page-lines.ts';
import { stableLine } from '../web/stable-line.ts';
import { startAdmin } from './start-admin.ts';

/**
 * Every page of the staff application as the people who can open it see it. every-page.txt lists what they read and what they can
 * do there, so that a wrong word, amount, order, link, or field on any page fails here.
 */

/** A zone without daylight saving time, in which many of the fixed times are on another day. */
const ZONE = 'America/Phoenix';

const api = await startApi();
const admin = await startAdmin({ database: api, storage: api.storage });
const pool = new pg.Pool({ connectionString: serverUrl(new URL(api.url).pathname.slice(1)), max: 3 });
pool.on('error', () => {});
const world = { pool, apiUrl: api.baseUrl, work: () => api.work() };
await emptyPlatform(world);
const people = await signPeopleIn(world);
await makeCases(world, people);
for (const table of ['user_account', 'agency', 'agency_api_key'])
  await pool.query(`update ${table} set created_at = '2022-12-20 05:05Z'::timestamptz + id * interval '25 hours'`);
const NAMES = ['root', 'finance', 'escrow', 'viewer'] as const;
const visitors = new Map(await Promise.all(NAMES.map(async (name) => [name, await admin.as(name)] as const)));
for (const { cookies } of visitors.values()) cookies.set('case-zone', encodeURIComponent(ZONE));

const compare = committedPages(new URL('every-page.txt', import.meta.url));
const opened = new Set<string>();
const written = new Set<string>();
const differences: unknown[] = [];
after(() => pool.end());
afterEach(() => {
  const pages = differences.splice(0);
  if (pages.length > 0) throw new AggregateError(pages, `${pages.length} pages differ`);
});

/** Compares a page with its section. The part around `<main>` is written once. @returns the page's lines */
async function look(name: (typeof NAMES)[number], path: string, state = ''): Promise<string> {
  const { status, location, text } = (await visitors.get(name)?.get(path)) ?? assert.fail(name);
  const { title, main, shell } = pageLines(text);
  noteRoute(path);
  const around = shell.map(stable).filter((line) => !written.has(line) && written.add(line));
  const lines = [`${status} ${location ?? title}`, ...around, ...main.map(stable)]
    .map(withoutCursors)
    .filter((line) => line !== 'input');
  try {
    compare(`${name} ${withoutCursors(stable(path))}${state === '' ? '' : `, ${state}`}`, lines);
  } catch (error) {
    // The other pages are compared as well, so that a failure shows all of them.
    differences.push(error);
  }
  return main.join('\n');
}

const withoutCursors = (line: string) => line.replaceAll(/(?<=(?:cursor|before|after)=)[^&)"]*/g, 'CURSOR');
/** Secrets of a session and keys of forms are different each time. */
const stable = (line: string) =>
  stableLine(line, ZONE)
    .replaceAll(/ ?\[type="hidden" value="[^"]*" name="_csrf"\]/g, '')
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z\/\w+/g, 'VERSION')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID');

const routes = admin.guardedRoutes
  .filter(({ method, guard }) => method === 'GET' && guard.startsWith('pageGuard'))
  .map(({ url }) => url);

function noteRoute(path: string): void {
  const place = path.split('?', 1)[0] ?? '';
  const fits = (url: string) => new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`).test(place);
  const [first] = routes.filter(fits).sort((one, other) => one.split(':').length - other.split(':').length);
  if (first !== undefined) opened.add(first);
}

async function lookAtAll(name: (typeof NAMES)[number], paths: string, state = ''): Promise<void> {
  for (const path of paths.split(/\s+/).filter(Boolean)) await look(name, path, state);
}

const idsOf = async (statement: string) => (await pool.query<{ id: number }>(statement)).rows.map(({ id }) => id);

test('[PAGE-1] home pages, cases, and their lists', async () => {
  for (const name of NAMES) await lookAtAll(name, `/ /cases /cases/${MAIN} /cases/${MAIN}/money`);
  await lookAtAll('root', `/cases/${SECOND} /cases/${SECOND}/money /cases/${NEW} /cases/${NEW}/money /cases/new`);
  await lookAtAll('root', `/cases/${MAIN}/edit /cases/${SECOND}/edit /cases/${MAIN}/proofs /cases/${NEW}/proofs`);
  await lookAtAll('root', '/cases?status=closing /cases?q=alder /cases?q=nothing /cases?specialist=none /cases?show=all');
  await lookAtAll(
    'root',
    `/cases?specialist=${people.viewer.userId} /cases?due=month /cases?agency_id=1&q=many /cases?specialist=${people.finance.userId} /cases?agency_id=2`,
  );
});

test('[REQUEST-14] each request, and lists of them', async () => {
  for (const id of await idsOf('select id::int from disbursement_request order by id'))
    await look('root', `/disbursements/${id}`);
  await lookAtAll('escrow', '/disbursements/212 /disbursements/203');
  await lookAtAll('finance', '/disbursements/201 /disbursements/209');
  const states = ['draft', 'submitted', 'approved', 'paid', 'returned', 'denied'];
  await lookAtAll('root', `/disbursements ${states.map((state) => `/disbursements?status=${state}`).join(' ')}`);
  await lookAtAll('root', '/disbursements?q=hotel /disbursements?q=nothing /disbursements?status=paid&q=nothing');
  await lookAtAll('root', `/cases/${MAIN}/disbursements/new /disbursements/212/edit /disbursements/216/edit`);
});

test('[BATCH-1] payments, batches, and accounts', async () => {
  await lookAtAll('root', '/payments /batches /batches/new /batches/bank /batches/returns');
  await lookAtAll('finance', '/payments /batches /batches/new');
  for (const id of await idsOf('select id::int from banking_batch order by id')) await look('root', `/batches/${id}`);
  for (const { userId } of [people.surrogate, people.rep, people.parent2]) await look('root', `/bank-accounts/${userId}`);
});

test('[CHAIN-13] conversations', async () => {
  for (const id of [301, 302, 303, 304]) await look('root', `/messages/${id}`);
  await lookAtAll('escrow', `/messages /messages/302 /messages/new /messages/new?case_id=${MAIN}`);
  await lookAtAll('root', '/messages /messages?show=closed /messages?q=words /messages?q=nothing /messages?show=all');
});

test('[PERSON-1] people, agencies, and roles', async () => {
  await lookAtAll(
    'root',
    '/access?person=finance@demo.test&action=GET%20/batches /users /users?q=lindgren /users?q=nothing /users?user_type=surrogate /users/new /agencies /roles /access',
  );
  for (const { userId } of [people.surrogate, people.owner, people.escrow])
    await lookAtAll('root', `/users/${userId} /users/${userId}/edit`);
  for (const id of await idsOf('select id::int from admin_role order by id')) await look('root', `/roles/${id}`);
  for (const id of await idsOf('select id::int from agency order by id limit 2')) await look('root', `/agencies/${id}`);
  await lookAtAll('viewer', `/users /users/${people.surrogate.userId} /agencies`);
});

test('[AUDIT-1, NOTIFY-12] the audit log and deliveries', async () => {
  await lookAtAll(
    'root',
    '/audit /audit?action=disbursement.approve /deliveries /deliveries?state=failed /deliveries/jobs /deliveries/suppressions',
  );
  const [entry] = await idsOf(`select id::int from audit_entry where action = 'disbursement.approve' order by id limit 1`);
  const [delivery] = await idsOf('select id::int from delivery order by id limit 1');
  await lookAtAll('root', `/audit/${entry} /deliveries/${delivery}`);
});

test('[PAGE-1] a person’s own pages', async () => {
  for (const name of ['root', 'viewer'] as const) await lookAtAll(name, '/account /account/two-factor /account/confirm');
});

test('[LIVE-5] today and yesterday', async () => {
  await makeToday(world, people);
  await lookAtAll(
    'root',
    `/ /messages/301 /cases/${MAIN} /cases/${MAIN}/money /disbursements/208 /disbursements/221 /payments`,
    'today',
  );
  await lookAtAll('escrow', '/ /messages', 'today');
});

test('[RETURN-2] return files', async () => {
  const statement = `insert into bank_return_file (filename, file_sha256, uploaded_by, uploaded_at, status, decided_by, decided_at,
                       decision_reason, disbursement_ids)
    values ('returns.txt', sha256('returns'), $1, '2023-06-06 03:03Z', 'refused', $2, '2023-06-07 04:04Z', 'Not from our bank', '{206}')
    returning id::int`;
  const { rows } = await pool.query<{ id: number }>(statement, [people.finance.userId, people.root.userId]);
  await lookAtAll('root', `/batches/returns /batches/returns/${rows[0]?.id}`, 'refused');
});

test('[PAGE-1] every page of the staff application is among these', () => {
  assert.deepEqual(
    routes.filter((url) => !opened.has(url)),
    [],
  );
});
