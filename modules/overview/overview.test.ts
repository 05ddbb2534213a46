import assert from 'node:assert/strict';
import { test } from 'node:test';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { findActiveUser, type User } from '@case-platform/modules/accounts';
import type { DisbursementStatus } from '@case-platform/modules/disbursements';
import type { UserType } from '@case-platform/words/user-types';
import { createTestDatabase } from '../../test/support/database.ts';
import { fundCase } from '../../test/support/money.ts';
import { describeCaseEvent } from './case-event-words.ts';
import { listCaseOverviews } from './case-overviews.ts';
import { CASE_EVENT_KINDS, listCaseTimeline } from './case-timeline.ts';
import { findHome } from './find-home.ts';

const { db, pool } = await createTestDatabase();
const NOW = new Date('2026-11-23T16:05:00Z');

async function person(email_address: string, user_type: UserType): Promise<User> {
  const user = await findActiveUser(db, { email_address, user_type });
  assert.ok(user, email_address);
  return user;
}
const root = await person('root@demo.test', 'admin');
const parent = await person('parent@demo.test', 'ip');
const surrogate = await person('surrogate@demo.test', 'surrogate');
const rep = await person('rep@demo.test', 'ip_rep');

const idOf = async (statement: Sql) => (await query<{ id: number }>(db, statement))[0]?.id ?? 0;
const newCase = async (status = 'active', ...people: User[]) => {
  const id = await idOf(sql`insert into case_file (name, status) values ('Overview', ${status}) returning id`);
  for (const one of people) await query(db, sql`insert into case_participant (case_id, user_id) values (${id}, ${one.id})`);
  return id;
};
const plan = (caseId: number, due: string, cents: number, status = 'planned') =>
  idOf(sql`insert into scheduled_payment (case_id, category, due_date, amount_cents, status)
           values (${caseId}, 'Allowance', ${due}, ${cents}, ${status}) returning id`);
/** Inserts a request that is in this state. */
const request = (caseId: number, status: DisbursementStatus, more: { line?: number; since?: string; code?: string } = {}) => {
  const isSent = status !== 'draft' && status !== 'cancelled';
  const sender = isSent ? surrogate.id : null;
  const moment = isSent ? '2026-11-01T00:00:00Z' : null;
  const isDecided = isSent && status !== 'submitted';
  return idOf(
    sql`insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by, submitted_by,
          submitted_at, approver_id, decided_at, decision_reason, paid_at, returned_at, return_code, scheduled_payment_id, status_since)
        values (${caseId}, ${status}, 100, 'Travel', 'Train', ${surrogate.id}, ${surrogate.id}, ${sender}, ${moment},
                ${isSent ? parent.id : null}, ${isDecided ? moment : null}, ${status === 'denied' ? 'No' : null},
                ${status === 'paid' ? moment : null}, ${status === 'returned' ? moment : null},
                ${status === 'returned' ? (more.code ?? 'R01') : null}, ${more.line ?? null}, ${more.since ?? '2026-11-01T00:00:00Z'}) returning id`,
  );
};
const STATUSES = ['draft', 'submitted', 'approved', 'denied', 'batched', 'paid', 'returned', 'cancelled'] as const;

test('[HOME-1] a case’s figures count its own requests and scheduled payments, by the state of each', async () => {
  for (const status of STATUSES) {
    const [caseId, next] = [await newCase(), await newCase()];
    await fundCase({ db }, caseId, 1_000);
    await fundCase({ db }, next, 70);
    const line = await plan(caseId, '2026-12-01', 40);
    await plan(caseId, '2026-12-01', 3);
    for (const other of ['paid', 'cancelled'] as const)
      await query(
        db,
        sql`insert into scheduled_payment (case_id, category, due_date, amount_cents, status, paid_at)
            values (${caseId}, 'Allowance', '2026-12-01', 500, ${other}, ${other === 'paid' ? NOW : null})`,
      );
    await plan(next, '2026-12-01', 7);
    const id = await request(caseId, status, { line });
    const overviews = await listCaseOverviews(db, root, [caseId, next, caseId], NOW);
    const isUnderWay = ['submitted', 'approved', 'batched'].includes(status);
    const isSetAside = ['approved', 'batched', 'paid'].includes(status);
    const own = overviews.get(caseId);
    assert.deepEqual(own?.money, { available_cents: 1_000, held_cents: 0, planned_cents: isSetAside ? 3 : 43 }, status);
    assert.equal(own?.open_requests, isUnderWay ? 1 : 0, status);
    const waits = ['submitted', 'approved', 'returned'].includes(status);
    assert.equal(own?.stuck?.id ?? null, waits ? id : null, status);
    const neighbor = overviews.get(next);
    assert.deepEqual(
      [neighbor?.money, neighbor?.open_requests, neighbor?.stuck],
      [{ available_cents: 70, held_cents: 0, planned_cents: 7 }, 0, null],
    );
  }
});

test('[HOME-1] of several requests the one that has waited longest is stuck, and the older one of two since the same moment', async () => {
  const caseId = await newCase();
  const stuck = async () => (await listCaseOverviews(db, root, [caseId], NOW)).get(caseId)?.stuck?.id;
  const later = await request(caseId, 'submitted', { since: '2026-11-03T00:00:00Z' });
  assert.equal(await stuck(), later);
  const first = await request(caseId, 'returned', { since: '2026-11-02T00:00:00Z' });
  await request(caseId, 'approved', { since: '2026-11-02T00:00:00Z' });
  assert.equal(await stuck(), first);
});

test('[HOME-1] a stuck request says that it waits for its reader: its approver until it is decided, and its payee for an account', async () => {
  const readers = { parent, surrogate, root };
  const rows = [
    ['submitted', undefined, 'parent'],
    ['approved', undefined, ''],
    ['returned', 'R03', 'surrogate'],
    ['returned', 'R01', ''],
  ] as const;
  for (const [status, code, waiting] of rows) {
    const caseId = await newCase('active', parent, surrogate);
    await request(caseId, status, code === undefined ? {} : { code });
    for (const [name, reader] of Object.entries(readers)) {
      const stuck = (await listCaseOverviews(db, reader, [caseId], NOW)).get(caseId)?.stuck;
      assert.equal(stuck?.waiting_for_me, name === waiting, `${status} ${code}, ${name}`);
    }
  }
});

test('[HOME-1] the home of parents names the tightest of their cases, and the first to run short', async () => {
  const tight = await newCase('active', parent, rep);
  const [early, late, closed, cancelled] = [
    await newCase('on_hold', parent, rep),
    await newCase('active', parent, rep),
    await newCase('active', parent, rep),
    await newCase('active', parent, rep),
  ];
  for (const [caseId, cents] of [
    [tight, 50],
    [early, 5_000],
    [late, 5_000],
    [closed, 1],
    [cancelled, 1],
  ] as const)
    await fundCase({ db }, caseId, cents);
  await query(db, sql`update case_file set status = 'closed' where id = ${closed}`);
  await query(db, sql`update case_file set status = 'cancelled' where id = ${cancelled}`);
  await plan(tight, '2026-12-01', 40);
  for (const ended of [closed, cancelled]) await plan(ended, '2026-12-01', 400);
  const home = async () => {
    const [ofParent, ofRep] = [await findHome(db, parent, NOW), await findHome(db, rep, NOW)];
    assert.deepEqual([ofRep.balance, ofRep.shortfall], [ofParent.balance, ofParent.shortfall]);
    const { balance, shortfall } = ofParent;
    return [balance?.case_id, shortfall?.case_id ?? null, shortfall?.month ?? null];
  };
  // The parent's demo case has no money of its own.
  await fundCase({ db }, 1, 10_000_000);
  assert.deepEqual(await home(), [tight, null, null]);
  await plan(late, '2027-03-05', 5_001);
  assert.deepEqual(await home(), [late, late, '2027-03']);
  await plan(early, '2027-02-28', 5_001);
  await plan(late, '2027-04-05', 5_001);
  assert.deepEqual(await home(), [late, early, '2027-02']);
  const { cases } = await findHome(db, root, NOW);
  assert.ok(!cases.some(({ id }) => [tight, early, late, closed, cancelled].includes(id)), 'staff see their own cases there');
});

test('[HOME-4] an agency’s home starts with the cases that run short, then those with the longest wait', async () => {
  const owner = await person('owner@demo.test', 'owner');
  const waiting = (caseId: number, day: string) => request(caseId, 'submitted', { since: `2020-01-${day}T00:00:00Z` });
  const agencyCase = async (status = 'active') => {
    const id = await newCase(status);
    await query(db, sql`update case_file set agency_id = ${owner.agency_id} where id = ${id}`);
    return id;
  };
  await query(db, sql`update case_file set agency_id = null where agency_id = ${owner.agency_id}`);
  const [calm, short, late, later, shortAndLate, closed] = [
    await agencyCase(),
    await agencyCase(),
    await agencyCase(),
    await agencyCase(),
    await agencyCase(),
    await agencyCase(),
  ];
  const neighbor = await newCase();
  for (const id of [short, shortAndLate, closed, neighbor]) await plan(id, '2026-12-01', 40);
  await fundCase({ db }, calm, 40);
  await plan(calm, '2026-12-01', 40);
  await waiting(late, '02');
  await waiting(later, '03');
  await waiting(shortAndLate, '04');
  await query(db, sql`update case_file set status = 'closed' where id = ${closed}`);
  const manager = await person('manager@demo.test', 'cm');
  await query(db, sql`update case_participant set left_at = now() where user_id = ${manager.id}`);
  for (const id of [calm, short, late, later, shortAndLate, closed])
    await query(db, sql`insert into case_participant (case_id, user_id) values (${id}, ${manager.id})`);
  const { cases } = await findHome(db, owner, NOW);
  for (const { cases: shown } of [{ cases }, await findHome(db, manager, NOW)])
    assert.deepEqual(
      shown.slice(0, 4).map(({ id }) => id),
      [shortAndLate, short, late, later],
    );
  assert.ok(!cases.some(({ id }) => id === neighbor));
  assert.ok(cases.length === 5, 'the latest others fill the list');
  const figures = cases.map(({ id, shortfall }) => [id, shortfall?.missing_cents ?? null]);
  assert.deepEqual(figures.slice(0, 3), [
    [shortAndLate, 40],
    [short, 40],
    [late, null],
  ]);
});

/** Every step of a request in the timeline of its case, with its words. */
const STEPS = {
  'disbursement.submit': 'Money requested',
  'disbursement.approve': 'Request approved',
  'disbursement.deny': 'Request denied',
  'disbursement.cancel': 'Request cancelled',
  'disbursement.remove_approval': 'Approval removed because the bank account changed',
  'disbursement.batch': 'Payment put into the next bank transfer',
  'disbursement.unbatch': 'Payment taken out of the bank transfer',
  'disbursement.send': 'Payment at the bank',
  'disbursement.pay': 'Paid',
  'disbursement.return': 'Payment sent back by the bank',
  'disbursement.retry': 'Payment set to be paid again',
  'disbursement.end': 'Payment ended',
};
const AT_THE_BANK = ['batch', 'unbatch', 'send', 'pay', 'return', 'retry'].map((step) => `disbursement.${step}`);
const MOMENT = '2026-11-20T12:00:00Z';

test('[TIMELINE-1] the timeline of a case contains each kind of event, in one order for those of one moment, page by page', async () => {
  const caseId = await newCase('active', parent, surrogate);
  const other = await newCase('active', parent, surrogate);
  for (const id of [caseId, other]) {
    const requestId = await request(id, 'paid');
    for (const action of ['case.create', 'case.change_status', 'case.update', 'disbursement.revise', ...Object.keys(STEPS)]) {
      const subject = action.startsWith('case') ? id : requestId;
      await query(
        db,
        sql`insert into audit_entry (happened_at, actor_id, actor_type, layer, action, subject_id, subject_label, case_id, after)
            values (${MOMENT}, ${root.id}, 'admin', 'admin', ${action}, ${subject}, 'Travel, $1.00', ${id}, '{"status": "on_hold"}')`,
      );
    }
    await query(
      db,
      sql`insert into case_milestone (case_id, kind, happened_on, note, created_by) values (${id}, 'birth', '2026-11-20', 'A girl', ${root.id})`,
    );
    await query(
      db,
      sql`insert into case_document (case_id, filename, content_type, size, storage_key, uploaded_by, created_at)
          values (${id}, 'contract.pdf', 'application/pdf', 1, ${`story/${id}`}, ${parent.id}, ${MOMENT})`,
    );
    await fundCase({ db }, id, 500);
  }
  const whole = (await listCaseTimeline(db, root, caseId, { limit: 100 })).data;
  const texts = whole.map(({ text }) => text);
  const expected = [
    '$5.00 paid in',
    ...Object.values(STEPS)
      .toReversed()
      .map((words) => `${words}: Train (Travel, $1.00)`),
    'Document added: contract.pdf',
    'Birth: A girl',
    'Case is now on hold',
    'Case opened',
  ];
  assert.deepEqual(texts, expected);
  const walked: typeof whole = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof listCaseTimeline>> = await listCaseTimeline(db, root, caseId, {
      limit: 1,
      cursor,
    });
    walked.push(...page.data);
    assert.ok(walked.length <= whole.length, 'pages that never end');
    cursor = page.next_cursor;
  }
  assert.deepEqual(walked, whole);
  for (const kind of CASE_EVENT_KINDS) {
    const { data } = await listCaseTimeline(db, root, caseId, { kind, limit: 100 });
    assert.deepEqual(
      data,
      whole.filter((one) => one.kind === kind),
      kind,
    );
    assert.equal(data.length > 0, kind !== 'message' && kind !== 'person', kind);
  }
  // Names of staff who dealt with the bank are hidden (REQUEST-15), and a surrogate does not see deposits (FUNDS-4).
  const theirs = (await listCaseTimeline(db, surrogate, caseId, { limit: 100 })).data;
  assert.deepEqual(
    theirs.map(({ text }) => text),
    expected.filter((text) => !text.endsWith('paid in')),
  );
  for (const [action, words] of Object.entries(STEPS)) {
    const [mine, staffs] = [theirs, whole].map((all) => all.find(({ text }) => text.startsWith(`${words}:`)));
    assert.equal(mine?.by === null, AT_THE_BANK.includes(action), action);
    assert.ok(staffs?.by, action);
  }
});

test('[TIMELINE-1] each event of a case links to the page that it is about', () => {
  const at = (action: string, what: string | null) => {
    const { text, url, by } = describeCaseEvent(
      { action, what, about: 9, by: { user_id: 1, user_type: 'ip', name: 'Pat' } },
      { caseId: 4, isStaff: false },
    );
    return [text, url, by?.name ?? null].join(' | ');
  };
  assert.equal(at('disbursement.deny', 'Train'), 'Request denied: Train | /disbursements/9 | Pat');
  assert.equal(at('disbursement.pay', 'Train'), 'Paid: Train | /disbursements/9 | ');
  assert.equal(at('case.change_status', 'pending_funding'), 'Case is now waiting for funds | /cases/4 | Pat');
  assert.equal(at('document', 'a.pdf'), 'Document added: a.pdf | /cases/4#documents | Pat');
  assert.equal(at('message', 'About us'), 'New message in “About us” | /messages/9 | Pat');
  assert.equal(at('message', ''), 'New message | /messages/9 | Pat');
  assert.equal(at('deposit', '123456'), '$1,234.56 paid in | /cases/4 | ');
  assert.equal(at('refund', '5'), '$0.05 paid back to the parents | /cases/4 | ');
  assert.equal(at('embryo_transfer', ''), 'Embryo transfer | /cases/4 | Pat');
});

test('[TIMELINE-1] someone who joins a case sees no events of other cases', async () => {
  const stranger = await person('both@demo.test', 'surrogate');
  const caseId = await newCase('active', parent);
  await assert.rejects(listCaseTimeline(db, stranger, caseId), { status: 404 });
  await pool.query('insert into case_participant (case_id, user_id) values ($1, $2)', [caseId, stranger.id]);
  assert.deepEqual((await listCaseTimeline(db, stranger, caseId)).data, []);
});
