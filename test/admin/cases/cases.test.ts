import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_2 } from '../../support/cast.ts';
import { copyCase } from '../../support/copy-case.ts';
import { startApi } from '../../support/platform.ts';
import { nextPage, startAdmin } from '../start-admin.ts';

async function open() {
  const api = await startApi();
  const admin = await startAdmin({ database: api });
  const [root, escrow, viewer, finance] = await admin.people('root', 'escrow', 'viewer', 'finance');
  return { api, root, escrow, viewer, finance };
}

const { api, root, escrow, viewer, finance } = await open();

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

test('[CASE-3, PAGE-3] the list has the cases of an admin, and is filtered by its address', async () => {
  const { escrow, viewer } = await open();
  const { text } = await escrow.get('/cases');
  assert.deepEqual(caseLinks(text).sort(), [1, 2]);
  assert.match((await escrow.get('/cases?status=closed')).text, /No matching cases/);
  assert.match((await viewer.get('/cases')).text, /You’re not on a case yet/);
});

test('[CASE-4] a row says who is on the case, who looks after it, and what waits there', async () => {
  const { api, escrow } = await open();
  const parent = await api.as('parent');
  await parent.form('/api/messages', { message: 'Is there news?', case_id: '1' });
  const { text } = await escrow.get('/cases');
  for (const words of ['Paige Whitlock, Marcus Whitlock and 4 more', 'Elena Marsh', '1 unread'])
    assert.ok(text.includes(words), words);
  assert.match(text, /href="\/messages\?show&#61;unread&amp;case_id&#61;1"|href="\/messages\?show=unread&case_id=1"/);
});

test('[CASE-3] staff find a case by name, person, or number, and filter by specialist, agency, and owner', async () => {
  const { root } = await open();
  const listFor = async (query: string) => caseLinks((await root.get(`/cases?${query}`)).text).sort();
  assert.deepEqual(await listFor(''), [1, 2, 3]);
  assert.deepEqual(await listFor('q=Case+2'), [2]);
  assert.deepEqual(await listFor('q=tessa+boyd'), [3]);
  assert.deepEqual(await listFor('q=mailotp%40demo'), [3]);
  assert.deepEqual(await listFor('q=%233'), [3]);
  assert.deepEqual(await listFor('q=nowhere'), []);
  assert.deepEqual(await listFor('q=%26%7C%21'), []);
  assert.deepEqual(await listFor('specialist=none'), [3]);
  assert.deepEqual(await listFor(`specialist=${await idOf('escrow@demo.test')}`), [1, 2]);
  assert.deepEqual(await listFor('agency_id=1'), [1]);
  assert.deepEqual(await listFor('show=mine'), []);
  assert.deepEqual(await listFor('status=active&agency_id=1&specialist=none'), []);
  for (const wrong of ['specialist=anybody', 'agency_id=x', 'sort=status', 'show=yours', `q=${'x'.repeat(201)}`])
    assert.equal((await root.get(`/cases?${wrong}`)).status, 422, wrong);
});

test('[CASE-3, API-1] every sortable column goes both ways, page by page, and each case appears once', async () => {
  await api.pool.query(
    `insert into case_file (name, status, created_at, updated_at)
     select 'Sorted ' || md5(n::text), 'on_hold', now() - n * interval '1 day', now() - (n * 7 % 60) * interval '1 hour'
       from generate_series(1, 60) n`,
  );
  for (const sort of ['name', '-name', 'created_at', '-created_at', 'updated_at', '-updated_at']) {
    const seen: number[] = [];
    let page = await root.get(`/cases?status=on_hold&q=sorted&sort=${sort}`);
    for (;;) {
      seen.push(...caseLinks(page.text));
      const next = nextPage(page);
      if (next === '') break;
      page = await root.get(next);
    }
    const { rows } = await api.pool.query(
      `select id::int from case_file where status = 'on_hold' order by ${sort.replace('-', '')} ${sort.startsWith('-') ? 'desc' : 'asc'},
       id ${sort.startsWith('-') ? 'desc' : 'asc'}`,
    );
    assert.deepEqual(
      seen,
      rows.map(({ id }) => id),
      sort,
    );
  }
  assert.match(
    (await root.get('/cases?sort=name')).text,
    /aria-sort="ascending"><a class="sort-link" href="\/cases\?sort(=|&#61;)-name"/,
  );
});

test('[SHOWN-2, CASE-2] a case of others is readable in outline, without its conversations and milestones', async () => {
  const page = await viewer.get('/cases/1');
  assert.equal(page.status, 200);
  assert.match(page.text, /You’re not on this case’s team/);
  for (const hidden of [/href="\/messages\/\d+"/, /href="\/messages\/new/, /Milestones/, /Available/, /href="\/cases\/1\/edit"/])
    assert.doesNotMatch(page.text, hidden);
  assert.doesNotMatch((await finance.get('/cases/1')).text, /Available/, 'view_drs and make_payments do not open a case');
  for (const who of [viewer, finance]) assert.doesNotMatch((await who.get('/cases/1/money')).text, /Available|\$/);
});

test('[CASE-4, SHOWN-3] a case shows its people with their roles in words, and leads to them with view_users', async () => {
  const { text } = await escrow.get('/cases/1');
  for (const words of ['Paige Whitlock', 'Intended parent', 'Sarah Lindgren', 'Escrow specialist', 'Available', 'Milestones'])
    assert.ok(text.includes(words), words);
  assert.doesNotMatch(text, />(ip|cm|ip_rep)</);
  assert.match(text, new RegExp(`href="/users/${await idOf('parent@demo.test')}"`));
  assert.doesNotMatch((await viewer.get('/cases/1')).text, /href="\/users\//);
});

test('[CASE-9] create_case opens a case at intake, with who opened it on its team', async () => {
  const made = await root.fill(await root.get('/cases/new'), '/cases', { name: '  A   new case ', agency_id: '1' });
  const caseId = Number(/\/cases\/(\d+)\?done=created/.exec(made.location ?? '')?.[1]);
  assert.equal(made.status, 303);
  const page = await root.get(made.location ?? '');
  assert.match(page.text, /A new case[\s\S]*Intake[\s\S]*Ruth Adeyemi/);
  assert.deepEqual(
    (await entries(caseId)).map(({ action, after }) => [action, after]),
    [['case.create', { name: 'A new case', status: 'intake', agency_id: 1 }]],
  );
  for (const [fields, words] of [
    [{ name: ' ', agency_id: '' }, /Give the case a name/],
    [{ name: 'x'.repeat(201), agency_id: '' }, /up to 200/],
    [{ name: 'Kept', agency_id: '999999' }, /value="Kept"/],
  ] as const) {
    const refused = await root.post('/cases', fields);
    assert.equal(refused.status, 422);
    assert.match(refused.text, words);
  }
  assert.equal((await escrow.post('/cases', { name: 'Not mine to open' })).status, 403);
});

test('[CASE-9] details are changed, audited, and rejected where they are invalid', async () => {
  const approver = String(await idOf('parent2@demo.test'));
  const edit = await escrow.get('/cases/1/edit');
  const saved = await escrow.fill(edit, '/cases/1', {
    name: 'Case 1',
    agency_id: '1',
    approver_id: approver,
    close_due_on: '2030-02-28',
  });
  assert.deepEqual([saved.status, saved.location], [303, '/cases/1/edit?done=details']);
  assert.match((await escrow.get('/cases/1')).text, /Marcus Whitlock[\s\S]*Feb 28, 2030/);
  const before = (await entries(1)).length;
  await escrow.post('/cases/1', { name: 'Case 1', agency_id: '1', approver_id: approver, close_due_on: '2030-02-28' });
  assert.equal((await entries(1)).length, before, 'nothing changed, nothing noted');
  const stranger = String(await idOf('mailotp@demo.test'));
  const same = { name: 'Case 1', agency_id: '1', approver_id: approver, close_due_on: '' };
  for (const [change, status] of [
    [{ close_due_on: '2030-02-30' }, 422],
    [{ close_due_on: 'tomorrow' }, 422],
    [{ approver_id: stranger }, 422],
    [{ agency_id: '' }, 409],
    [{ agency_id: '999999' }, 422],
    [{ name: '' }, 422],
  ] as const)
    assert.equal((await escrow.post('/cases/1', { ...same, ...change })).status, status, JSON.stringify(change));
  assert.equal((await entries(1)).length, before);
  assert.equal((await escrow.post('/cases/3', { ...same, name: 'Not mine' })).status, 403, 'a case of others');
  assert.equal((await finance.post('/cases/1', same)).status, 403);
  assert.equal((await root.post('/cases/999999', same)).status, 403);
});

test('[CASE-5, CASE-6] edit_case_details opens, close_case ends, and never with money under way', async () => {
  const caseId = await copyCase(api, CASE_2);
  const path = `/cases/${caseId}`;
  assert.equal((await escrow.post(`${path}/status`, { status: 'on_hold' })).status, 303);
  assert.equal((await escrow.post(`${path}/status`, { status: 'closed' })).status, 422);
  assert.equal((await escrow.post(`${path}/close`, { status: 'closing' })).status, 303);
  assert.equal((await escrow.post(`${path}/status`, { status: 'active' })).status, 409);
  const [parent, surrogate] = [await idOf('parent@demo.test'), await idOf('surrogate@demo.test')];
  const live = `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by,
      submitted_by, submitted_at, approver_id) values ($3, 'submitted', 100, 'travel', 'A flight', $1, $1, $1, now(), $2) returning id`;
  const { id } = (await api.pool.query(live, [surrogate, parent, caseId])).rows[0];
  assert.equal((await escrow.post(`${path}/close`, { status: 'closed' })).status, 409);
  await api.pool.query('delete from disbursement_request where id = $1', [id]);
  assert.equal((await escrow.post(`${path}/close`, { status: 'closed' })).status, 303);
  assert.equal((await escrow.post(`${path}/close`, { status: 'active' })).status, 303);
  const moves = (await entries(caseId)).filter(({ action }) => action === 'case.change_status');
  assert.deepEqual(
    moves.map(({ before, after }) => `${before.status} ${after.status}`),
    ['active on_hold', 'on_hold closing', 'closing closed', 'closed active'],
  );
});

test('[CASE-8, LOCALE-1] a milestone is recorded once, and a confirmed pregnancy may require funds, typed as the browser’s locale has it', async () => {
  const add = (fields: Record<string, string>) =>
    escrow.post('/cases/1/milestones', {
      kind: 'matched',
      happened_on: '2026-01-05',
      note: '',
      funding_required: '',
      ...fields,
    });
  assert.equal((await add({ note: 'Both are happy' })).location, '/cases/1?done=milestone');
  assert.equal((await add({})).status, 409);
  const pregnancy = { kind: 'pregnancy_confirmed', happened_on: '2026-03-01', funding_required: '$12,500.50' };
  const german = { 'accept-language': 'de-DE,en;q=0.5' };
  assert.equal(
    (await escrow.post('/cases/1/milestones', { ...pregnancy, note: '', funding_required: '12.500,50' }, german)).status,
    303,
  );
  assert.match((await escrow.get('/cases/1', german)).text, /data-locale="de-DE"[\s\S]*12\.500,50\s\$ deposit needed/);
  const { text } = await escrow.get('/cases/1');
  assert.match(text, /Pregnancy confirmed[\s\S]*\$12,500\.50 deposit needed[\s\S]*Matched[\s\S]*Both are happy/);
  for (const wrong of [
    { kind: 'party' },
    { happened_on: '2026-02-30' },
    { happened_on: '2999-01-01' },
    { kind: 'birth', funding_required: '5' },
    { kind: 'pregnancy_confirmed', funding_required: '0.001' },
    { kind: 'pregnancy_confirmed', funding_required: '-1' },
    { note: 'x'.repeat(2001), kind: 'other' },
  ] as Record<string, string>[]) {
    const page = await add(wrong);
    assert.equal(page.status, 422, JSON.stringify(wrong).slice(0, 80));
    assert.match(page.text, /role="alert"/);
  }
  assert.equal((await finance.post('/cases/1/milestones', pregnancy)).status, 403);
});
