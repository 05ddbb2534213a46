import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApi } from '../support/platform.ts';
import { startAdmin, type Visitor } from './start-admin.ts';

const api = await startApi();
const admin = await startAdmin({ database: api });
const [root, escrow, viewer, owner] = await Promise.all(
  (['root', 'escrow', 'viewer', 'owner'] as const).map((name) => admin.as(name)),
);
const asRoot = root as Visitor;

/** What the JSON API answers to an agency's system that has this key. */
async function callWith(key: string): Promise<number> {
  const event = { id: `event-${Math.random()}`, type: 'checked' };
  return (await api.anonymous.post('/webhook', event, { 'x-api-key': key })).status;
}
const revokePaths = async () =>
  [...(await asRoot.get('/agencies/1')).text.matchAll(/action="(\/agencies\/1\/keys\/\d+\/revoke)"/g)].map(
    ([, path = '']) => path,
  );
const issue = async () => asRoot.fill(await asRoot.get('/agencies/1'), '/agencies/1/keys');
const keyOf = (text: string) => /agency_[\w-]{43}/.exec(text)?.[0] ?? '';

test('[Agency] staff see the agencies, and who may change their keys', async () => {
  const list = await asRoot.get('/agencies');
  assert.match(list.text, /href="\/agencies\/1">Agency 1</);
  assert.match(list.text, /1 live key/);
  assert.match((await asRoot.get('/agencies/1')).text, /Issue a key/);
  assert.match((await escrow?.get('/agencies'))?.text ?? '', /aria-current="page"/);
  const seen = (await escrow?.get('/agencies/1'))?.text ?? '';
  assert.match(seen, /Agency 1/);
  assert.doesNotMatch(seen, /Issue a key|Revoke/);
  assert.equal((await asRoot.get('/agencies/999999')).status, 404);
});

test('[Server-rendered application 5] changes are for edit_agencies: 403 and never a redirect', async () => {
  const [path = ''] = await revokePaths();
  for (const visitor of [escrow, viewer, owner]) {
    for (const address of ['/agencies/1/keys', path]) {
      const page = await visitor?.post(address);
      assert.deepEqual([page?.status, page?.location], [403, null], address);
    }
  }
  assert.equal((await admin.visitor().post('/agencies/1/keys')).status, 401);
  assert.equal((await asRoot.submit('/agencies/1/keys', {})).status, 403, 'without the form’s token');
  assert.equal((await asRoot.post('/agencies/999999/keys')).status, 404);
  assert.equal((await revokePaths()).length, 1, 'nothing was changed');
});

test('[Agency] a key is issued, shown once on an answer that nobody keeps, works, and is stored hashed', async () => {
  const page = await issue();
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  const key = keyOf(page.text);
  assert.equal(await callWith(key), 202);
  assert.doesNotMatch((await asRoot.get('/agencies/1')).text, /agency_/);
  assert.match((await asRoot.get('/agencies/1')).text, /Last used/);
  const { rows } = await api.pool.query('select row_to_json(k)::text as row from agency_api_key k');
  assert.ok(rows.every(({ row }) => !row.includes(key)));
});

test('[Agency] two keys live at most; a revoked one opens nothing from then on', async () => {
  const paths = await revokePaths();
  assert.equal(paths.length, 2);
  const third = await asRoot.post('/agencies/1/keys');
  assert.equal(third.status, 409);
  assert.match(third.text, /Revoke one first/);
  assert.equal(keyOf(third.text), '');

  const [newest = ''] = paths;
  const confirm = await asRoot.get('/agencies/1');
  assert.match(confirm.text, /This cannot be undone/);
  const revoked = await asRoot.fill(confirm, newest);
  assert.deepEqual([revoked.status, revoked.location], [303, '/agencies/1?done=revoked']);
  assert.equal((await asRoot.post(newest)).status, 404, 'a second time there is nothing to revoke');
  const replacement = keyOf((await issue()).text);
  const [path = ''] = await revokePaths();
  assert.equal(await callWith(replacement), 202);
  await asRoot.post(path);
  assert.equal(await callWith(replacement), 401);
  assert.equal(await callWith('demo-agency-key-1-0123456789abcdef'), 202, 'the other key works on');
});
