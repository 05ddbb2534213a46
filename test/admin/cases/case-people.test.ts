import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startApi } from '../../support/platform.ts';
import { startAdmin } from '../start-admin.ts';

async function open() {
  const api = await startApi();
  const admin = await startAdmin({ database: api });
  const [root, escrow, viewer] = await admin.people('root', 'escrow', 'viewer');
  return { api, root, escrow, viewer };
}

const { api, root, escrow } = await open();

const idOf = async (email: string) =>
  (await api.pool.query('select id from user_account where email_address = $1 order by id limit 1', [email])).rows[0].id;
const entries = async (caseId: number) =>
  (
    await api.pool.query(
      `select action, actor_id::int as actor_id, before, after from audit_entry where case_id = $1 order by id`,
      [caseId],
    )
  ).rows;
const caseLinks = (text: string) => [
  ...new Set([...text.matchAll(/<a class="link" href="\/cases\/(\d+)"/g)].map(([, id]) => Number(id))),
];

test('[CASE-11, CHAIN-4] a new escrow specialist gets new conversations, and existing ones keep their admin', async () => {
  const parent = await api.as('parent');
  const old = (await parent.form('/api/messages', { message: 'Before', case_id: '1' })).body.chain;
  const rootId = await idOf('root@demo.test');
  const page = await root.fill(await root.get('/cases/1/edit'), '/cases/1/escrow-specialist', {
    admin_id: String(rootId),
  });
  assert.deepEqual([page.status, page.location], [303, '/cases/1/edit?done=assigned']);
  assert.match((await root.get(page.location ?? '')).text, /existing ones keep their owner/);
  const young = (await parent.form('/api/messages', { message: 'After', case_id: '1' })).body.chain;
  assert.equal(young.assigned_admin_id, rootId);
  assert.equal((await parent.get(`/api/messages/${old.id}`)).body.chain.assigned_admin_id, await idOf('escrow@demo.test'));
  assert.equal((await escrow.post('/cases/1/escrow-specialist', { admin_id: '' })).status, 403, 'without assign_case');
  assert.equal((await root.post('/cases/1/escrow-specialist', { admin_id: String(parent.userId) })).status, 422);
  await root.post('/cases/1/escrow-specialist', { admin_id: String(await idOf('escrow@demo.test')) });
  assert.equal((await entries(1)).filter(({ action }) => action === 'case.assign').length, 2);
});

test('[CASE-1] the team of a case sees it, and no longer after leaving it', async () => {
  const { root, viewer } = await open();
  const viewerId = String(await idOf('viewer@demo.test'));
  assert.equal((await root.post('/cases/1/team', { admin_id: viewerId })).status, 303);
  assert.deepEqual(caseLinks((await viewer.get('/cases')).text), [1]);
  assert.equal((await root.post('/cases/1/team', { admin_id: viewerId })).status, 409);
  assert.equal((await root.post('/cases/1/team', { admin_id: '' })).status, 422);
  assert.equal((await root.fill(await root.get('/cases/1/edit'), `/cases/1/team/${viewerId}/remove`)).status, 303);
  assert.deepEqual(caseLinks((await viewer.get('/cases')).text), []);
  assert.equal((await root.post(`/cases/1/team/${viewerId}/remove`)).status, 404);
});

test('[CHAIN-16] a person who leaves a case loses it and its conversations at once, and starts from the beginning on return', async () => {
  const surrogate = await api.as('surrogate');
  const { chain } = (await surrogate.form('/api/messages', { message: 'Mine', case_id: '1' })).body;
  const path = `/cases/1/people/${surrogate.userId}/remove`;
  const page = await escrow.fill(await escrow.get('/cases/1/edit'), path);
  assert.deepEqual([page.status, page.location], [303, '/cases/1/edit?done=person-removed']);
  assert.equal((await surrogate.get('/api/cases/1')).status, 404);
  assert.equal((await surrogate.get(`/api/messages/${chain.id}`)).status, 404);
  assert.deepEqual((await surrogate.get('/api/messages')).body.data, []);
  assert.equal((await escrow.post(path)).status, 404);

  const back = await escrow.post('/cases/1/people', { email_address: ' Surrogate@Demo.test', user_type: 'surrogate' });
  assert.equal(back.status, 303);
  assert.match((await escrow.get('/cases/1')).text, /Sarah Lindgren/);
  assert.equal((await surrogate.get(`/api/messages/${chain.id}`)).status, 404);
  assert.equal((await surrogate.form('/api/messages', { message: 'Back', case_id: '1' })).status, 201);
  const people = (await entries(1)).filter(({ action }) => /_person$/.test(action));
  assert.deepEqual(
    people.map(({ action, before, after }) => [action, (before ?? after).name]),
    [
      ['case.remove_person', 'Sarah Lindgren'],
      ['case.add_person', 'Sarah Lindgren'],
    ],
  );
});

test('[CASE-10] people are added by address and type, and only those who may be on the case', async () => {
  for (const [fields, status, words] of [
    [{ email_address: 'surrogate@demo.test', user_type: 'ip' }, 422, /No active account/],
    [{ email_address: 'root@demo.test', user_type: 'admin' }, 422, /Add staff to the case’s team instead/],
    [{ email_address: 'parent@demo.test', user_type: 'intended_parent' }, 422, /Choose their role/],
    [{ email_address: '', user_type: 'ip' }, 422, /No active account/],
    [{ email_address: 'parent@demo.test', user_type: 'ip' }, 409, /already on this case/],
  ] as const) {
    const page = await escrow.post('/cases/1/people', fields);
    assert.deepEqual([page.status, words.test(page.text)], [status, true], JSON.stringify(fields));
  }
  const manager = { email_address: 'manager@demo.test', user_type: 'cm' };
  assert.match((await escrow.post('/cases/2/people', manager)).text, /works for another agency/);
  const both = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(() => escrow.post('/cases/2/people', { email_address: 'rep@demo.test', user_type: 'ip_rep' })),
  );
  assert.deepEqual(both.map(({ status }) => status).sort(), [303, 409, 409, 409, 409, 409], 'six at once');
});

describe('another agency', () => {
  const otherAgency = async () =>
    String((await api.pool.query(`insert into agency (name) values ('Other Agency') returning id`)).rows[0].id);
  const move = async (name: 'manager' | 'owner', agency_id: string) => {
    const { rows } = await api.pool.query(
      `select id, email_address, first_name, last_name, coalesce(phone, '') as phone from user_account
        where email_address = $1`,
      [`${name}@demo.test`],
    );
    const { id, ...record } = rows[0];
    return root.post(`/users/${id}`, { ...record, agency_id });
  };
  const leave = async (caseId: number, name: 'manager' | 'owner') => {
    const page = await escrow.post(`/cases/${caseId}/people/${await idOf(`${name}@demo.test`)}/remove`, {});
    assert.equal(page.status, 303, name);
  };
  /** Starts a conversation with the parent, for a case that this person sees or, if they have several, for no case. */
  const write = async (name: 'manager' | 'owner', caseId: number | null) => {
    const person = await api.as(name);
    const parent = { user_type: 'intended_parent', user_id: (await api.as('parent')).userId };
    const recipients = JSON.stringify([parent]);
    const named = caseId === null ? {} : { case_id: String(caseId) };
    const answer = await person.form('/api/messages', { message: 'Hello', ...named, recipients });
    assert.deepEqual([answer.status, answer.body.chain.case_id], [201, caseId]);
    return { person, path: `/api/messages/${answer.body.chain.id}` };
  };

  test('[CASE-10] a person who moves to another agency leaves the cases of the former one first', async () => {
    const agency = await otherAgency();
    const { person, path } = await write('manager', 1);
    const refused = await move('manager', agency);
    assert.deepEqual([refused.status, (await person.get('/api/cases/1')).status], [409, 200]);
    assert.match(refused.text, /They’re on a case of the current agency\. Remove them from it first\./);
    await leave(1, 'manager');
    assert.equal((await move('manager', agency)).status, 303);
    assert.deepEqual([(await person.get('/api/cases/1')).status, (await person.get(path)).status], [404, 404]);
    const manager = { email_address: 'manager@demo.test', user_type: 'cm' };
    assert.match((await escrow.post('/cases/1/people', manager)).text, /works for another agency/);
    assert.equal((await move('manager', '1')).status, 303);
    assert.equal((await escrow.post('/cases/1/people', manager)).status, 303);
    assert.equal((await move('manager', '1')).status, 303, 'on a case of the same agency');
  });

  test('[CASE-10, CHAIN-16] an owner who moves, and one whose case does, loses its conversations with it', async () => {
    const agency = await otherAgency();
    await api.pool.query(`update case_participant set left_at = now()
      where left_at is null and user_id = (select id from user_account where email_address = 'owner@demo.test')`);
    await api.pool.query('update case_file set agency_id = 1 where id = 2');
    await api.pool.query(`insert into case_participant (case_id, user_id)
      select 2, id from user_account where email_address = 'parent@demo.test'`);
    const [{ person, path }, without] = [await write('owner', 1), await write('owner', null)];
    const opened = async (...paths: string[]) =>
      Promise.all(['/api/cases/1', ...paths].map(async (one) => (await person.get(one)).status));
    assert.equal((await move('owner', agency)).status, 303);
    assert.deepEqual(await opened(path, without.path), [404, 404, 404]);
    assert.equal((await move('owner', '1')).status, 303);
    assert.deepEqual(await opened(path, without.path), [200, 404, 404]);

    const [again, againWithout] = [await write('owner', 1), await write('owner', null)];
    const moveCase = async (id: number) => {
      const details = { name: `Case ${id}`, agency_id: agency, approver_id: '', close_due_on: '' };
      assert.equal((await escrow.post(`/cases/${id}`, details)).status, 303);
    };
    await moveCase(2);
    assert.deepEqual(await opened(again.path, againWithout.path), [200, 200, 200], 'one case is left');
    await leave(1, 'manager');
    await moveCase(1);
    assert.deepEqual(await opened(again.path, againWithout.path), [404, 404, 404]);
    assert.equal((await (await api.as('parent')).get(againWithout.path)).status, 200, 'the other keeps what was written');
  });
});
