import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DISBURSEMENT_STATUSES, type DisbursementStatus } from '@case-platform/modules/disbursements';
import { samplePdf } from '../../../scripts/demo/sample-files.ts';
import { CASE_1 } from '../../support/cast.ts';
import { uploadAndConfirm } from '../../support/direct-upload.ts';
import { bringTo, draft } from '../../support/money.ts';
import type { Client } from '../../support/platform.ts';
import { openDesk } from '../batches/batches-desk.ts';
import { CALLS, MARKS, PAGES, RECEIPT, read, toldIn, whileListed } from './draft-marks.ts';

/** In every state of a request someone has a next step. The table says who, on which page, and in which words. */

const { api, surrogate, parent, root, finance, escrow, viewer, putAccount } = await openDesk({ now: () => new Date() });
await putAccount(surrogate);

interface NextStep {
  /** The API's text, which the web frontend shows. It is null when the request has ended, which its state says. */
  waiting_for: RegExp | null;
  /** The member of staff who has the step, the address of its page, and the words on it. */
  staff: [who: typeof root, path: (id: number) => string, words: RegExp];
  /** The person who decides in the web frontend, and their command. It is null when no one there can act. */
  web: [who: Client, command: string, body: (version: string) => object] | null;
}

const page = (id: number) => `/disbursements/${id}`;
const none = () => ({});
const NEXT: Record<DisbursementStatus, NextStep> = {
  draft: {
    waiting_for: /Sarah Lindgren to send it/,
    staff: [escrow, page, /Waiting for Sarah Lindgren|Only Sarah Lindgren can read it/],
    web: [surrogate, 'submit', none],
  },
  submitted: {
    waiting_for: /Paige Whitlock to approve it/,
    staff: [root, page, /Approve \$125\.00/],
    web: [parent, 'approve', (version) => ({ version })],
  },
  approved: {
    waiting_for: /our payments team to send it to the bank/,
    staff: [finance, () => '/batches/new', /Train to the clinic|Sarah Lindgren/],
    web: null,
  },
  batched: { waiting_for: /our payments team to send it to the bank/, staff: [root, page, /The money should arrive/], web: null },
  paid: { waiting_for: null, staff: [root, page, /Paid/], web: null },
  returned: {
    waiting_for: /the escrow specialist to pay it again/,
    staff: [escrow, page, /Pay \$125\.00 again/],
    web: [await api.as('escrow'), 'retry', () => ({ reason: 'The bank has cleared it' })],
  },
  ended: { waiting_for: null, staff: [root, page, /Paid by check/], web: null },
  denied: { waiting_for: null, staff: [root, page, /Denied/], web: null },
  cancelled: { waiting_for: null, staff: [root, page, /Cancelled/], web: null },
};

for (const status of DISBURSEMENT_STATUSES) {
  test(`[REQUEST-14] a request that is ${status} has a next step for someone, or says that it has ended`, async () => {
    const id = await bringTo(api, { maker: surrogate, checker: parent }, status);
    const { waiting_for, staff, web } = NEXT[status];
    const request = (await surrogate.get(`/api/disbursements/${id}`)).body;
    if (waiting_for === null) assert.equal(request.waiting_for, null);
    else assert.match(request.waiting_for, waiting_for);
    const [who, path, words] = staff;
    const shown = await who.get(path(id));
    assert.equal(shown.status, 200);
    assert.match(shown.text, words);
    if (web === null) return;
    const [actor, command, body] = web;
    const { version } = (await actor.get(`/api/disbursements/${id}`)).body;
    const done = await actor.post(`/api/disbursements/${id}/${command}`, body(version ?? ''));
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.notEqual(done.body.status, status);
  });
}

test('[DRAFT-1] no call and no page reveals what a draft says to anyone but its maker, until it is submitted', async () => {
  const planned = await api.pool.query(
    `insert into scheduled_payment (case_id, category, description, due_date, amount_cents)
     values ($1, 'Monthly', 'What the draft pays', current_date + 30, 12500) returning id`,
    [CASE_1],
  );
  const scheduled_payment_id = Number(planned.rows[0].id);
  const pdf = { filename: RECEIPT, content_type: 'application/pdf', content: samplePdf('Receipt') };
  const never = await whileListed(api.pool, () => draft(surrogate, { ...MARKS, category: 'Monthly', scheduled_payment_id }));
  await uploadAndConfirm(surrogate, `/api/disbursements/${never.id}/files`, pdf);
  const both = { maker: surrogate, checker: parent };
  const dearer = { ...MARKS, amount_cents: 8_765_433 };
  const back = await whileListed(api.pool, () => bringTo(api, both, 'submitted', dearer));
  await uploadAndConfirm(surrogate, `/api/disbursements/${back}/files`, pdf);
  const taken = await surrogate.call('PATCH', `/api/disbursements/${back}`, {
    body: JSON.stringify({ amount_cents: 8_765_434 }),
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(taken.body.status, 'draft');
  const cancelled = await whileListed(api.pool, () => bringTo(api, both, 'cancelled', MARKS));
  const drafts = [never.id, back, cancelled];

  const names = [
    'root',
    'escrow',
    'finance',
    'viewer',
    'parent',
    'parent2',
    'manager',
    'owner',
    'rep',
    'bothParent',
    'bothSurrogate',
  ] as const;
  const others = await Promise.all(names.map(async (name) => ({ name, who: await api.as(name) })));
  const staff = { root, escrow, finance, viewer };
  const calls = [...CALLS, ...drafts.map((id) => `/api/disbursements/${id}`)];
  const { rows: entries } = await api.pool.query(
    `select id from audit_entry where subject_type = 'disbursement' and subject_id = any($1)`,
    [drafts],
  );
  assert.ok(entries.length >= 8);
  const pages = [
    ...PAGES,
    ...drafts.flatMap((id) => [`/disbursements/${id}`, `/disbursements/${id}/edit`]),
    ...entries.map(({ id }) => `/audit/${id}`),
  ];
  for (const { name, who } of others) assert.deepEqual(await toldIn(calls, (path) => read(who, path)), [], name);
  for (const [name, who] of Object.entries(staff)) {
    assert.deepEqual(await toldIn(pages, async (path) => (await who.get(path)).text), [], name);
    const { text } = await who.get(`/disbursements?case_id=${CASE_1}&category=${MARKS.category}`);
    for (const id of drafts) assert.ok(!text.includes(`"/disbursements/${id}"`), `${name} finds a draft by its words`);
  }

  // Only the staff of the case see that the draft exists.
  const knows = async (who: Client) => {
    const { body } = await who.get(`/api/cases/${CASE_1}/disbursements?limit=100`);
    const listed: number[] = (body.data ?? []).map(({ id }: { id: number }) => id);
    const one = await who.get(`/api/disbursements/${never.id}`);
    assert.deepEqual(
      drafts.map((id) => listed.includes(id)),
      drafts.map(() => one.status === 200),
    );
    return one.status === 200;
  };
  const knowing = await Promise.all(others.map(async ({ name, who }) => ((await knows(who)) ? name : '')));
  assert.deepEqual(
    knowing.filter((name) => name !== ''),
    ['root', 'escrow'],
  );
  const listedFor = async (who: typeof root) => {
    const { text } = await who.get('/disbursements?status=draft');
    return drafts.map((id) => text.includes(`"/disbursements/${id}"`));
  };
  assert.deepEqual(await listedFor(root), [true, true, false], 'of all cases, those that are still drafts');
  assert.deepEqual(await listedFor(finance), [false, false, false]);
  // The calendar shows no more than before, and no page links to the draft.
  const line = async (who: Client) => {
    const { body } = await who.get(`/api/cases/${CASE_1}/scheduled-payments`);
    const payment = body.data?.find(({ id }: { id: number }) => id === scheduled_payment_id);
    return payment && [payment.status, payment.disbursement_id];
  };
  const onCase = others.filter(({ name }) => ['parent', 'parent2', 'manager', 'owner', 'rep'].includes(name));
  for (const { name, who } of onCase) assert.deepEqual(await line(who), ['planned', null], name);
  // A draft claims nothing, also for people who see that it exists.
  for (const name of ['root', 'escrow', 'surrogate'] as const)
    assert.deepEqual(await line(await api.as(name)), ['planned', null], name);
  const row = async (who: typeof root) =>
    (await who.get('/payments')).text.match(/What the draft pays.*?<\/tr>/s)?.[0] ?? 'no such row';
  const leads = new RegExp(`/disbursements/${never.id}"`);
  for (const who of [root]) assert.match(await row(who), /Planned/);
  for (const who of [root]) assert.doesNotMatch(await row(who), leads);

  const outline = (await (await api.as('escrow')).get(`/api/disbursements/${never.id}`)).body;
  const { version, submitted_by, waiting_for, waiting_since, whereabouts, created_at, updated_at, ...rest } = outline;
  assert.notEqual(version, (await surrogate.get(`/api/disbursements/${never.id}`)).body.version);
  assert.match(waiting_for, /Sarah Lindgren to send it/);
  assert.deepEqual([whereabouts.state, whereabouts.holder, whereabouts.arrives], ['draft', 'Sarah Lindgren', null]);
  const NOTHING = [
    'amount_cents',
    'category',
    'description',
    'payee',
    'submitted_at',
    'approver',
    'decided_at',
    'decision_reason',
  ];
  NOTHING.push(
    'expected_bank_date',
    'covered',
    'paid_at',
    'returned_at',
    'return_code',
    'return',
    'not_payable',
    'benefit',
    'payee_account',
    'alarm',
    'chain_id',
    'scheduled_payment_id',
  );
  assert.deepEqual(rest, {
    id: never.id,
    case_id: CASE_1,
    status: 'draft',
    files: [],
    ...Object.fromEntries(NOTHING.map((name) => [name, null])),
    timeline: [{ at: created_at, event: 'created', by: submitted_by, note: null }],
  });
  const shown = await escrow.get(`/disbursements/${never.id}`);
  assert.match(shown.text, /Sarah Lindgren’s draft/);
  assert.ok(!shown.text.includes(`action="/disbursements/${never.id}`), 'nothing to fill in');
  assert.equal((await escrow.get(`/disbursements/${never.id}/edit`)).location, `/disbursements/${never.id}`);
  assert.match((await escrow.get(`/cases/${CASE_1}`)).text, /Sarah Lindgren’s draft/);
  assert.equal((await finance.get(`/disbursements/${never.id}`)).status, 404);

  // Once it is submitted, the same calls and pages show all of it.
  const mine = await toldIn(calls, (path) => read(surrogate, path));
  assert.ok(mine.includes(`/api/disbursements/${never.id}`) && mine.includes('/api/home'));
  await surrogate.post(`/api/disbursements/${never.id}/submit`);
  const places = [
    `/api/disbursements/${never.id}`,
    `/api/cases/${CASE_1}/disbursements?limit=100`,
    `/api/cases/${CASE_1}/timeline?limit=100`,
  ];
  for (const { name, who } of others.filter(({ name }) => ['root', 'escrow', 'parent', 'manager'].includes(name)))
    assert.deepEqual(await toldIn(places, (path) => read(who, path)), places, name);
  const sentPages = [`/disbursements/${never.id}`, `/cases/${CASE_1}`, '/disbursements', '/audit'];
  assert.deepEqual(await toldIn(sentPages, async (path) => (await root.get(path)).text), sentPages);
  assert.equal((await finance.get(`/disbursements/${never.id}`)).status, 404, 'it is not approved');
  for (const { name, who } of onCase) assert.deepEqual(await line(who), ['requested', never.id], name);
  assert.match(await row(root), leads);
});
