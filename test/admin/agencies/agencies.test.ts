import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { createAgency, renameAgency } from '@case-platform/modules/accounts';
import { startApi } from '../../support/platform.ts';
import { runOverlapping } from '../../support/run-overlapping.ts';
import { findStoredSecrets } from '../../support/stored-secrets.ts';
import { nextPage, startAdmin, type Visitor } from '../start-admin.ts';

const api = await startApi();
const admin = await startAdmin({ database: api });
const [root, escrow, viewer, owner] = await admin.people('root', 'escrow', 'viewer', 'owner');
const asRoot = root as Visitor;

/** Calls the JSON API with an agency's key. @returns the status. */
async function callWith(key: string): Promise<number> {
  const event = { id: `event-${Math.random()}`, type: 'checked' };
  return (await api.anonymous.post('/webhook', event, { 'x-api-key': key })).status;
}
/** Adds an agency for one test. @returns its path. */
async function addAgency(name: string): Promise<string> {
  const added = await asRoot.fill(await asRoot.get('/agencies'), '/agencies', { name });
  assert.equal(added.status, 303);
  return added.location?.split('?')[0] ?? '';
}
const revokePaths = async (agency: string) =>
  [...(await asRoot.get(agency)).text.matchAll(/action="(\/agencies\/\d+\/keys\/\d+\/revoke)"/g)].map(([, path = '']) => path);
const issue = async (agency: string) => asRoot.fill(await asRoot.get(agency), `${agency}/keys`);
const keyOf = (text: string) => /agency_[\w-]{43}/.exec(text)?.[0] ?? '';

test('[KEY-7] staff see the agencies, and who may change their keys', async () => {
  const list = await asRoot.get('/agencies');
  assert.match(list.text, /href="\/agencies\/1">Fernhill Surrogacy</);
  assert.match(list.text, /1 live key/);
  assert.match((await asRoot.get('/agencies/1')).text, /Issue a key/);
  assert.match((await escrow?.get('/agencies'))?.text ?? '', /aria-current="page"/);
  const seen = (await escrow?.get('/agencies/1'))?.text ?? '';
  assert.match(seen, /Fernhill Surrogacy/);
  assert.doesNotMatch(seen, /Issue a key|Revoke/);
  assert.equal((await asRoot.get('/agencies/999999')).status, 404);
});

test('[KEY-6] events of an agency are shown on its page and on the case, to those who see the case', async () => {
  const key = { 'x-api-key': 'demo-agency-key-1-0123456789abcdef' };
  const events = [
    { id: 'told-1', type: 'contract.signed', case_id: 1, data: { note: '<b>Signed</b>' } },
    { id: 'told-2', type: 'office.moved' },
  ];
  for (const event of events) assert.equal((await api.anonymous.post('/webhook', event, key)).status, 202);
  const types = (text: string) => events.map(({ type }) => type).filter((type) => text.includes(type));
  const read = async (name: 'root' | 'escrow' | 'viewer', path: string) => types((await (await admin.as(name)).get(path)).text);
  const both = ['contract.signed', 'office.moved'];
  assert.deepEqual([await read('root', '/agencies/1'), await read('escrow', '/agencies/1')], [both, both]);
  assert.deepEqual(
    [await read('root', '/cases/1'), await read('escrow', '/cases/1')],
    [['contract.signed'], ['contract.signed']],
  );
  assert.match((await asRoot.get('/cases/1')).text, /(?:&lt;|&#60;)b(?:&gt;|&#62;)Signed/);
  assert.deepEqual(
    [await read('root', '/cases/2'), await read('viewer', '/cases/1'), await read('viewer', '/agencies/1')],
    [[], [], []],
  );
  const role = "(select admin_role_id from user_account where email_address = 'viewer@demo.test')";
  await api.pool.query(`insert into admin_role_permission values (${role}, 'view_agencies')`);
  assert.deepEqual(await read('viewer', '/agencies/1'), ['office.moved'], 'off the team of the case');
  await api.pool.query(`delete from admin_role_permission where admin_role_id = ${role} and permission = 'view_agencies'`);
});

test('[KEY-7, GUARD-4] changes are for edit_agencies: 403 and never a redirect', async () => {
  const agency = await addAgency('Not to be changed');
  await issue(agency);
  const [path = ''] = await revokePaths(agency);
  for (const visitor of [escrow, viewer, owner]) {
    for (const address of [`${agency}/keys`, path]) {
      const page = await visitor?.post(address);
      assert.deepEqual([page?.status, page?.location], [403, null], address);
    }
  }
  assert.equal((await admin.visitor().post(`${agency}/keys`)).status, 401);
  assert.equal((await asRoot.submit(`${agency}/keys`, {})).status, 403, 'without the form’s token');
  assert.equal((await asRoot.post('/agencies/999999/keys')).status, 404);
  assert.deepEqual(await revokePaths(agency), [path], 'nothing was changed');
});

test('[KEY-1] a key is issued, shown once on an answer that is not cached, works, and is stored hashed', async () => {
  const agency = await addAgency('With a first key');
  const page = await issue(agency);
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  const key = keyOf(page.text);
  assert.equal(await callWith(key), 202);
  assert.doesNotMatch((await asRoot.get(agency)).text, /agency_/);
  assert.match((await asRoot.get(agency)).text, /Last used/);
  assert.deepEqual(await findStoredSecrets(api.pool, { key }), []);
});

test('[KEY-1, KEY-2] at most two keys are active, and a revoked one is rejected at once', async () => {
  const agency = await addAgency('With keys enough');
  const firstKey = keyOf((await issue(agency)).text);
  await issue(agency);
  const paths = await revokePaths(agency);
  assert.equal(paths.length, 2);
  const third = await asRoot.post(`${agency}/keys`);
  assert.equal(third.status, 409);
  assert.match(third.text, /Revoke one first/);
  assert.equal(keyOf(third.text), '');

  const [newest = ''] = paths;
  const confirm = await asRoot.get(agency);
  assert.match(confirm.text, /You can’t undo this/);
  const revoked = await asRoot.fill(confirm, newest);
  assert.deepEqual([revoked.status, revoked.location], [303, `${agency}?done=revoked`]);
  assert.equal((await asRoot.post(newest)).status, 404, 'a second time there is nothing to revoke');
  const replacement = keyOf((await issue(agency)).text);
  const [path = ''] = await revokePaths(agency);
  assert.equal(await callWith(replacement), 202);
  await asRoot.post(path);
  assert.equal(await callWith(replacement), 401);
  assert.equal(await callWith(firstKey), 202, 'the other key still works');
});

test('[KEY-1] a key is revoked on its own agency’s page only', async () => {
  const [own, other] = [await addAgency('With a key'), await addAgency('Without one')];
  const key = keyOf((await issue(own)).text);
  const [path = ''] = await revokePaths(own);
  assert.equal((await asRoot.post(path.replace(own, other))).status, 404);
  assert.equal(await callWith(key), 202, 'it works on');
  assert.equal((await asRoot.post(path)).status, 303);
  assert.equal(await callWith(key), 401);
});

async function entriesOf(action: string, agency: string) {
  const { rows } = await api.pool.query(
    'select layer, before, after from audit_entry where action = $1 and subject_id = $2 order by id',
    [action, agency.split('/').at(-1)],
  );
  return rows;
}

test('[KEY-7] an agency is added and renamed, with an entry in the audit log; names are unique', async () => {
  const added = await asRoot.fill(await asRoot.get('/agencies'), '/agencies', { name: '  Bright   Lights ' });
  assert.equal(added.status, 303);
  const path = added.location?.split('?')[0] ?? '';
  assert.match((await asRoot.get(added.location ?? '')).text, /The agency was added[\s\S]*No live key/);
  assert.match((await asRoot.get('/agencies')).text, />Bright Lights</);

  const taken = await asRoot.post('/agencies', { name: 'bright lights' });
  assert.equal(taken.status, 409);
  assert.match(taken.text, /There’s already an agency with this name[\s\S]*value="bright lights"/);
  assert.equal((await asRoot.post(`${path}/name`, { name: 'FERNHILL SURROGACY' })).status, 409);
  const renamed = await asRoot.fill(await asRoot.get(path), `${path}/name`, { name: 'Clear Lights' });
  assert.deepEqual([renamed.status, renamed.location], [303, `${path}?done=renamed`]);
  assert.equal((await asRoot.post(`${path}/name`, { name: 'Clear Lights' })).status, 303, 'again: nothing changes');

  assert.deepEqual(
    (await entriesOf('agency.create', path)).map((entry) => entry.after),
    [{ name: 'Bright Lights' }],
  );
  assert.deepEqual(
    (await entriesOf('agency.rename', path)).map(({ layer, before, after }) => ({ layer, before, after })),
    [{ layer: 'admin', before: { name: 'Bright Lights' }, after: { name: 'Clear Lights' } }],
  );
});

test('[KEY-7] of two people who use one name for agencies at once, the second waits and is rejected', async () => {
  const by = { actor: null, origin: SYSTEM };
  const add = (db: Database, name: string) => createAgency(db, name, by);
  const taken = { code: 'name_taken' };
  await assert.rejects(
    runOverlapping(
      api,
      (tx) => add(tx, 'Named at once'),
      () => add(api.db, 'NAMED at once'),
    ),
    taken,
  );
  const { id } = await add(api.db, 'To be renamed');
  await assert.rejects(
    runOverlapping(
      api,
      (tx) => add(tx, 'Renamed at once'),
      () => renameAgency(api.db, id, 'RENAMED at once', by),
    ),
    taken,
  );
});

test('[PAGE-2] an invalid name is explained over the form, and nothing is written', async () => {
  for (const name of ['', '   ', 'x'.repeat(201), 'x'.repeat(2001)]) {
    assert.equal((await asRoot.post('/agencies', { name })).status, 422, `${name.length} characters`);
    assert.equal((await asRoot.post('/agencies/1/name', { name })).status, 422);
  }
  assert.equal((await asRoot.post('/agencies', { name: '<b>Bold</b>' })).status, 303);
  assert.match((await asRoot.get('/agencies')).text, /&#60;b&#62;Bold|&lt;b&gt;Bold/);
  assert.equal((await asRoot.post('/agencies/999999/name', { name: 'Anything' })).status, 404);
  assert.equal((await escrow?.post('/agencies', { name: 'Not mine to add' }))?.status, 403);
});

test('[API-1] agencies come in keyset pages, by name', async () => {
  await api.pool.query(`insert into agency (name) select 'Of many ' || lpad(n::text, 3, '0') from generate_series(1, 60) n`);
  const first = await asRoot.get('/agencies');
  assert.match(first.text, /Of many 001/);
  const second = await asRoot.get(nextPage(first));
  assert.match(second.text, /Of many 060/);
  assert.doesNotMatch(second.text, /Of many 001/);
  assert.equal((await asRoot.get('/agencies?after=999999')).status, 200);
  assert.equal((await asRoot.get('/agencies?after=x')).status, 422);
});
