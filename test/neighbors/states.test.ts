import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { listCatalogue, listOpenSessions, sessionHash, type User } from '@case-platform/modules/accounts';
import { getProof, listDuePayments, listShortfalls } from '@case-platform/modules/banking';
import {
  addMilestone,
  cancelScheduledPayment,
  listClosingCases,
  listOpenMoney,
  listScheduledPayments,
  mailLastScheduledPayment,
  mailPregnancyFunding,
  remindOfClosing,
} from '@case-platform/modules/cases';
import {
  DISBURSEMENT_STATUSES,
  disbursementIsVisible,
  listBenefits,
  listNamedPayments,
  listPaymentStops,
  readsRequests,
  requestConditions,
} from '@case-platform/modules/disbursements';
import { canViewBalance } from '@case-platform/modules/ledger';
import { reassignChains } from '@case-platform/modules/messaging';
import { createStorage, openPhotoId } from '@case-platform/modules/storage';
import { flagAccount } from '../../modules/banking/bank-accounts/flag-account.ts';
import { requireFreeLine, requireMatchingLine } from '../../modules/disbursements/claim-scheduled-payment.ts';
import { readPaymentFacts } from '../../modules/disbursements/payable/payment-facts.ts';
import { listNeedyCases } from '../../modules/overview/list-needy-cases.ts';
import { createTestDatabase, TEST_SECRETS } from '../support/database.ts';
import { undone } from '../support/undone.ts';

/** Rows in each of their states, and at each edge: those that count, in their order, and no others. */

const { db } = await createTestDatabase();
const NOW = new Date('2026-06-13T07:00:00Z');
const URLS = { webUrl: 'http://localhost:3000', adminUrl: 'http://localhost:4001' };

async function rowsOf<Row>(tx: Transaction, text: string, ...values: (string | number)[]): Promise<Row[]> {
  return (await tx.query({ text, values })).rows as Row[];
}
async function addPerson(tx: Transaction, name: string, user_type = 'admin', status = 'active'): Promise<number> {
  const text = `insert into user_account (email_address, user_type, first_name, status) values ($1 || '@states.test', $2, $1, $3) returning id`;
  return Number((await rowsOf<{ id: number }>(tx, text, name, user_type, status))[0]?.id);
}
async function addCase(tx: Transaction, name: string, status = 'active'): Promise<number> {
  const text = 'insert into case_file (name, status) values ($1, $2) returning id';
  return Number((await rowsOf<{ id: number }>(tx, text, name, status))[0]?.id);
}
/** Returns the names of the people who are mailed, in the order of their mails, with a part of the mail. */
const mailed = async (tx: Transaction, field: string) =>
  (
    await rowsOf<{ line: string }>(
      tx,
      `select u.first_name || ': ' || (j.payload->'template_context'->>$1) as line
         from graphile_worker._private_jobs j join delivery d on d.id = (j.payload->>'delivery_id')::bigint
         join user_account u on u.id = d.user_id order by d.id`,
      field,
    )
  ).map(({ line }) => line);

const ENDED = ['closed', 'cancelled'];

test('[EMAIL-9] reminders to close a case are for its active specialist, from a week before, once, the most urgent first', async () => {
  const lines = await undone(db, async (tx) => {
    const people = { on: await addPerson(tx, 'on'), off: await addPerson(tx, 'off', 'admin', 'deactivated') };
    const add = async (name: string, due: string | null, { status = 'active', who = 'on', reminded = '' } = {}) => {
      const id = await addCase(tx, name, status);
      const specialist = who === 'none' ? 'null' : people[who as keyof typeof people];
      await tx.query({
        text: `update case_file set close_due_on = $2, escrow_specialist_id = ${specialist},
                                    close_reminded_for = nullif($3, '')::date where id = $1`,
        values: [id, due, reminded],
      });
    };
    await add('last day', '2026-06-20');
    await add('too early', '2026-06-21');
    await add('overdue', '2026-06-01');
    await add('second of a day', '2026-06-01');
    await add('without a day', null);
    await add('reminded', '2026-06-14', { reminded: '2026-06-14' });
    await add('moved since', '2026-06-15', { reminded: '2026-06-14' });
    await add('off', '2026-06-14', { who: 'off' });
    await add('nobody', '2026-06-14', { who: 'none' });
    for (const status of ENDED) await add(status, '2026-06-14', { status });
    await remindOfClosing({ db: tx, ...URLS }, NOW);
    const first = await mailed(tx, 'case_name');
    await remindOfClosing({ db: tx, ...URLS }, NOW);
    assert.deepEqual(await mailed(tx, 'case_name'), first, 'a second time');
    return first;
  });
  assert.deepEqual(lines, ['on: overdue', 'on: second of a day', 'on: moved since', 'on: last day']);
});

test('[EMAIL-7] money that a pregnancy needs is mailed to the active parents on the case, in their order', async () => {
  const lines = await undone(db, async (tx) => {
    const [caseId, other] = [await addCase(tx, 'One'), await addCase(tx, 'Two')];
    const join = async (name: string, position: number, { type = 'ip', status = 'active', left = false, on = caseId } = {}) => {
      const text = `insert into case_participant (case_id, user_id, position, left_at)
                    values ($1, $2, $3, case when $4 = 'left' then now() end)`;
      await rowsOf(tx, text, on, await addPerson(tx, name, type, status), position, left ? 'left' : '');
    };
    await join('second', 2);
    await join('first', 1);
    await join('third', 2);
    await join('closed', 1, { status: 'deactivated' });
    await join('invited', 1, { status: 'invited' });
    await join('gone', 1, { left: true });
    await join('elsewhere', 1, { on: other });
    await join('surrogate', 1, { type: 'surrogate' });
    const text = `insert into case_milestone (case_id, kind, happened_on, created_by, funding_required_cents)
                  select $1, 'pregnancy_confirmed', '2026-01-01'::date + n, 1, nullif(n, 3) from generate_series(1, 3) n returning id`;
    const [, second, without] = await rowsOf<{ id: number }>(tx, text, caseId);
    await mailPregnancyFunding({ db: tx, ...URLS }, { milestone_id: without?.id ?? 0 });
    await mailPregnancyFunding({ db: tx, ...URLS }, { milestone_id: second?.id ?? 0 });
    return mailed(tx, 'amount');
  });
  assert.deepEqual(lines, ['first: $0.02', 'second: $0.02', 'third: $0.02']);
});

test('[EMAIL-8] the last payment is mailed to the active team of its case, or else to all who see every case', async () => {
  const lines = await undone(db, async (tx) => {
    const [caseId, alone] = [await addCase(tx, 'Team'), await addCase(tx, 'Alone')];
    const team = async (name: string, on: number, type = 'admin', status = 'active') =>
      rowsOf(tx, 'insert into case_admin (case_id, user_id) values ($1, $2)', on, await addPerson(tx, name, type, status));
    const lead = await addPerson(tx, 'lead');
    await rowsOf(tx, 'update case_file set escrow_specialist_id = $2 where id = $1', caseId, lead);
    await team('member', caseId);
    await team('closed', caseId, 'admin', 'deactivated');
    await team('former', alone, 'admin', 'deactivated');
    await team('parent', alone, 'ip');
    await rowsOf(
      tx,
      `update user_account set status = 'deactivated' where email_address like '%@demo.test' and user_type = 'admin'`,
    );
    const role = `insert into admin_role (name) values ('All cases') returning id`;
    const [{ id } = { id: 0 }] = await rowsOf<{ id: number }>(tx, role);
    await rowsOf(tx, `insert into admin_role_permission values ($1, 'view_all_cases')`, id);
    for (const [name, status] of [['chief', 'active'] as const, ['retired', 'deactivated'] as const])
      await rowsOf(
        tx,
        'update user_account set admin_role_id = $1 where id = $2',
        id,
        await addPerson(tx, name, 'admin', status),
      );
    const plan = `insert into scheduled_payment (case_id, category, due_date, amount_cents)
                  values ($1, $2, '2026-07-01', 1) returning id`;
    for (const one of [caseId, alone]) {
      const [line] = await rowsOf<{ id: number }>(tx, plan, one, `Travel ${one === alone}`);
      await mailLastScheduledPayment({ db: tx, ...URLS }, { scheduled_payment_id: line?.id ?? 0, at: 'now' });
    }
    return mailed(tx, 'category');
  });
  assert.deepEqual(lines, ['lead: Travel false', 'member: Travel false', 'chief: Travel true']);
});

/** Adds requests of a case, one for each state, of 1, 2, 4, … cents, so that a sum says which of them count. */
const REQUESTS = `insert into disbursement_request (case_id, status, amount_cents, category, description, payee_id, created_by,
    submitted_by, submitted_at, approver_id, decided_at, decision_reason, paid_at, returned_at, return_code, end_reason,
    scheduled_payment_id)
  select $1, s, (1 << (n - 1)::int), 'Travel', 'x', u.id, u.id, u.id, now(), a.id, now(), 'x', now(), now(), 'R01', 'x',
         (select s2.id from scheduled_payment s2 where s2.case_id = $1 and s2.description = s)
    from unnest(array['draft', 'submitted', 'approved', 'denied', 'batched', 'paid', 'returned', 'cancelled', 'ended'])
           with ordinality as states (s, n),
         (select id from user_account where email_address = 'surrogate@demo.test') u,
         (select id from user_account where email_address = 'parent@demo.test') a`;

test('[CASE-6] the money that keeps a case open: requests on their way, waiting deposits and refunds, in the order of the work', async () => {
  const open = await undone(db, async (tx) => {
    const [caseId, other] = [await addCase(tx, 'One'), await addCase(tx, 'Two')];
    for (const id of [caseId, other]) {
      await rowsOf(tx, REQUESTS, id);
      const cash = `insert into cash_entry (case_id, kind, amount_cents, recorded_by, status, decided_by, decided_at, decision_reason)
        select $1, k, case k when 'deposit' then 100 else 1000 end, 1, s, case when s <> 'waiting' then 2 end,
               case when s <> 'waiting' then now() end, case when s = 'refused' then 'x' end
          from unnest(array['refund', 'deposit']) k, unnest(array['waiting', 'confirmed', 'refused', 'waiting']) s`;
      await rowsOf(tx, cash, id);
    }
    return listOpenMoney(tx, caseId);
  });
  assert.deepEqual(open, [
    { kind: 'submitted', count: 1, amount_cents: 2 },
    { kind: 'approved', count: 1, amount_cents: 4 },
    { kind: 'batched', count: 1, amount_cents: 16 },
    { kind: 'deposit', count: 2, amount_cents: 200 },
    { kind: 'refund', count: 2, amount_cents: 2000 },
  ]);
});

test('[PLAN-2, PLAN-4] a planned payment is requested, and cannot be cancelled or requested again, while its request is on its way or paid', async () => {
  const states = await undone(db, async (tx) => {
    const caseId = await addCase(tx, 'One');
    const lines = `insert into scheduled_payment (case_id, category, description, due_date, amount_cents)
      select $1, 'Travel', s, '2026-07-01', 1000 from unnest($2::text[]) s returning id, description`;
    const text = { text: lines, values: [caseId, [...DISBURSEMENT_STATUSES]] };
    const planned = (await tx.query(text)).rows as { id: number; description: string }[];
    await rowsOf(tx, REQUESTS, caseId);
    const [root] = await rowsOf<User>(tx, `select * from user_account where email_address = 'root@demo.test'`);
    assert.ok(root);
    const by = { actor: root, origin: SYSTEM };
    const requests = requestConditions(root);
    const inCalendar = (await listScheduledPayments(tx, caseId, { requests })).data;
    const due = (await listDuePayments(tx, root, { limit: 500 })).data;
    const isFree = (work: Promise<unknown>) =>
      work.then(
        () => 'free',
        (error: { code: string }) => error.code,
      );
    const seen: unknown[] = [];
    for (const { id, description } of planned) {
      const shown = [inCalendar, due].map((list) => list.find((line) => line.id === Number(id)));
      const answers = [
        await isFree(requireFreeLine(tx, { id: null, scheduled_payment_id: id })),
        await isFree(cancelScheduledPayment(tx, caseId, id, by)),
      ];
      seen.push([
        description,
        ...shown.map((line) => line?.status),
        ...shown.map((line) => line?.disbursement_id !== null),
        ...answers,
      ]);
    }
    return seen;
  });
  const taken = ['requested', 'requested', true, true, 'already_requested', 'already_requested'];
  assert.deepEqual(
    states,
    DISBURSEMENT_STATUSES.map((status) => [
      status,
      ...(['submitted', 'approved', 'batched', 'paid'].includes(status)
        ? taken
        : ['planned', 'planned', false, false, 'free', 'free']),
    ]),
  );
});

test('[CASE-2, FUNDS-4, PROOF-4] each permission by itself shows staff of a case its balance, its requests, and its stops, or does not', async () => {
  const seen = await undone(db, async (tx) => {
    const caseId = await addCase(tx, 'One');
    await rowsOf(tx, REQUESTS, caseId);
    const stop = `insert into payment_stop (payee_id, case_id, disbursement_id, raised_by, raised_at, reason)
      select payee_id, case_id, id, created_by, now(), 'x' from disbursement_request where case_id = $1 and status = 'submitted'`;
    await rowsOf(tx, stop, caseId);
    const proof = `insert into proof_of_funds (case_id, amount_cents, made_at, addressee, issued_by) values ($1, 5, now(), 'x', 1) returning id`;
    const [issued] = await rowsOf<{ id: number }>(tx, proof, caseId);
    const [role] = await rowsOf<{ id: number }>(tx, `insert into admin_role (name) values ('One right') returning id`);
    const id = await addPerson(tx, 'staff');
    await rowsOf(tx, 'update user_account set admin_role_id = $1 where id = $2', role?.id ?? 0, id);
    await rowsOf(tx, 'update case_file set escrow_specialist_id = $1 where id = $2', id, caseId);
    const [user] = await rowsOf<User>(tx, 'select * from user_account where id = $1', id);
    assert.ok(user);
    const context = { db: tx, encryptionKey: TEST_SECRETS.encryptionKey };
    const reads: Record<string, () => Promise<boolean>> = {
      balance: () => canViewBalance(tx, user),
      requests: () => readsRequests(tx, user),
      stops: async () => (await listPaymentStops(tx, user)).length > 0,
      withdrawal: () =>
        getProof(context, user, { caseId, id: Number(issued?.id) }, NOW).then(
          (one) => one.may_withdraw,
          () => false,
        ),
    };
    const lists = new Map(Object.keys(reads).map((name) => [name, [] as string[]]));
    for (const { value } of listCatalogue()) {
      await rowsOf(tx, 'delete from admin_role_permission where admin_role_id = $1', role?.id ?? 0);
      await rowsOf(tx, 'insert into admin_role_permission values ($1, $2)', role?.id ?? 0, value);
      for (const [name, read] of Object.entries(reads)) if (await read()) lists.get(name)?.push(value);
    }
    return Object.fromEntries([...lists].map(([name, values]) => [name, values.sort()]));
  });
  const requests = ['approve_drs', 'create_drs', 'edit_drs', 'view_drs'];
  assert.deepEqual(seen, {
    balance: ['make_payments', 'view_case_details', 'view_drs'],
    requests,
    stops: requests,
    withdrawal: ['make_payments'],
  });
});

test('[CASE-2, REQUEST-11] staff who only pay see requests from their approval on, each named by its payee', async () => {
  const named = await undone(db, async (tx) => {
    const caseId = await addCase(tx, 'One');
    await rowsOf(tx, REQUESTS, caseId);
    const payee = await addPerson(tx, 'payee', 'surrogate');
    await rowsOf(tx, 'update disbursement_request set payee_id = $1, description = status where case_id = $2', payee, caseId);
    const [finance] = await rowsOf<User>(tx, `select * from user_account where email_address = 'finance@demo.test'`);
    assert.ok(finance);
    const visible = await query<{ id: number }>(
      tx,
      sql`select d.id from disbursement_request d join case_file c on c.id = d.case_id
           where d.case_id = ${caseId} and ${disbursementIsVisible(finance)}`,
    );
    const payments = await listNamedPayments(
      tx,
      visible.map(({ id }) => id),
    );
    return [...payments.values()].map(({ description, payee_name }) => `${description} to ${payee_name}`).sort();
  });
  const paid = ['approved', 'batched', 'ended', 'paid', 'returned'];
  assert.deepEqual(
    named,
    paid.map((status) => `${status} to payee`),
  );
});

test('[PLAN-3] a planned payment without a payee is for the surrogates on its case, or for anyone', async () => {
  const fitting = await undone(db, async (tx) => {
    const [someone, now, left, elsewhere] = [
      await addPerson(tx, 'someone', 'cm'),
      await addPerson(tx, 'now', 'surrogate'),
      await addPerson(tx, 'left', 'surrogate'),
      await addPerson(tx, 'elsewhere', 'surrogate'),
    ];
    const fits: string[] = [];
    for (const people of [[someone], [someone, left], [someone, left, now]]) {
      const caseId = await addCase(tx, `${people.length} people`);
      const joined = 'insert into case_participant (case_id, user_id, left_at) values ($1, $2, case when $3 then now() end)';
      for (const person of people) await tx.query({ text: joined, values: [caseId, person, person === left] });
      const line = `insert into scheduled_payment (case_id, category, due_date, amount_cents)
                    values ($1, 'Travel', '2026-07-01', 1) returning id`;
      const scheduled_payment_id = Number((await rowsOf<{ id: number }>(tx, line, caseId))[0]?.id);
      for (const [name, payee_id] of Object.entries({ someone, now, left, elsewhere })) {
        const claim = { id: null, scheduled_payment_id, case_id: caseId, payee_id, category: 'Travel' };
        await requireMatchingLine(tx, claim).then(
          () => fits.push(`${people.length}: ${name}`),
          (error) => assert.equal(error.status, 422),
        );
      }
    }
    return fits;
  });
  const anyone = ['someone', 'now', 'left', 'elsewhere'];
  assert.deepEqual(fitting, [...anyone.map((name) => `1: ${name}`), ...anyone.map((name) => `2: ${name}`), '3: now']);
});

test('[PAYABLE-1] a payee is paid while they see the case and, for another’s request, are on it', async () => {
  const PLACES = ['on it', 'left', 'never on it', 'on it, of another agency', 'on another case'] as const;
  const belonging = await undone(db, async (tx) => {
    const [caseId, other] = [await addCase(tx, 'One'), await addCase(tx, 'Two')];
    const writer = await addPerson(tx, 'writer');
    const agency = "insert into agency (name) select name from unnest(array['A', 'B']) name returning id";
    const [own, another] = (await rowsOf<{ id: number }>(tx, agency)).map(({ id }) => Number(id));
    await rowsOf(tx, 'update case_file set agency_id = $1 where id = any(array[$2, $3]::bigint[])', own ?? 0, caseId, other);
    const names = new Map<number, string>();
    for (const type of ['surrogate', 'ip', 'ip_rep', 'cm', 'owner']) {
      for (const place of PLACES) {
        const isOfAgency = type === 'cm' || type === 'owner';
        if (place === 'on it, of another agency' && !isOfAgency) continue;
        const payee = await addPerson(tx, `${type}-${PLACES.indexOf(place)}`, type);
        const ofAgency = 'update user_account set agency_id = $2 where id = $1';
        if (isOfAgency) await rowsOf(tx, ofAgency, payee, (place === 'on it, of another agency' ? another : own) ?? 0);
        const joined = `insert into case_participant (case_id, user_id, left_at)
                        values ($1, $2, case when $3 = 'left' then now() end)`;
        if (place !== 'never on it') await rowsOf(tx, joined, place === 'on another case' ? other : caseId, payee, place);
        for (const [by, createdBy] of [['their own', payee] as const, ['of others', writer] as const]) {
          const request = `insert into disbursement_request (case_id, amount_cents, category, description, payee_id, created_by)
                           values ($1, 1, 'Travel', 'x', $2, $3) returning id`;
          const [row] = await rowsOf<{ id: number }>(tx, request, caseId, payee, createdBy);
          names.set(Number(row?.id), `${type} ${place}, ${by}`);
        }
      }
    }
    const facts = await readPaymentFacts(tx, [...names.keys()]);
    assert.equal(facts.length, names.size);
    return facts.filter(({ payee_belongs }) => payee_belongs).map(({ disbursement_id }) => names.get(Number(disbursement_id)));
  });
  const both = (payee: string) => [`${payee}, their own`, `${payee}, of others`];
  assert.deepEqual(
    belonging,
    [
      both('surrogate on it'),
      both('ip on it'),
      both('ip_rep on it'),
      both('cm on it'),
      both('owner on it'),
      // An owner sees every case of the agency.
      'owner left, their own',
      'owner never on it, their own',
      'owner on another case, their own',
    ].flat(),
  );
});

test('[CONTRACT-2] a limit counts payments as used, and requests on their way as held, of its case and category only', async () => {
  const limits = await undone(db, async (tx) => {
    const [caseId, other] = [await addCase(tx, 'One'), await addCase(tx, 'Two')];
    for (const id of [caseId, caseId, other]) await rowsOf(tx, REQUESTS, id);
    const limit = `insert into case_benefit (case_id, category, cap_cents, period) values ($1, $2, 1000, 'case')`;
    for (const category of ['travel', 'Gifts']) await rowsOf(tx, limit, caseId, category);
    return (await listBenefits(tx, caseId, new Date())).map(({ category, used_cents, held_cents }) => [
      category,
      used_cents,
      held_cents,
    ]);
  });
  // Of two times nine requests: twice 32 is paid, and twice 2, 4, and 16 is submitted, approved, or in a batch.
  assert.deepEqual(limits, [
    ['Gifts', 0, 0],
    ['travel', 64, 44],
  ]);
});

test('[PROJECTION-1, PROJECTION-2] a projection counts what is planned and not reserved yet, overdue or later, of open cases', async () => {
  const shortfalls = await undone(db, async (tx) => {
    const cases: number[] = [];
    for (const status of ['active', 'active', ...ENDED]) {
      const id = await addCase(tx, status, status);
      cases.push(id);
      // Each request reserves its own amount of a planned payment of 1,000 cents.
      const lines = `insert into scheduled_payment (case_id, category, description, due_date, amount_cents, status, paid_at)
        select $1::bigint, 'Travel', s, '2026-05-31'::date, 1000, 'planned', null::timestamptz
          from unnest(array['submitted', 'approved', 'batched', 'paid']) s
        union all select $1, 'Travel', 'paid before', '2026-05-31', 10000, 'paid', now()
        union all select $1, 'Travel', 'dropped', '2026-05-31', 100000, 'cancelled', null
        union all select $1, 'Travel', 'later', '2026-07-01', 1000000, 'planned', null`;
      await rowsOf(tx, lines, id);
      if (cases.length !== 2) await rowsOf(tx, REQUESTS, id);
    }
    const all = await listShortfalls(tx, cases.slice(0, 1).concat(cases.slice(2)), NOW);
    return cases.map((id) => all.get(id) ?? null);
  });
  // Approved (4), batched (16), and paid (32) amounts are no longer planned.
  const short = { month: '2026-06', missing_cents: 4000 - 4 - 16 - 32 + 1_000_000 };
  assert.deepEqual(JSON.parse(JSON.stringify(shortfalls)), [short, null, null, null]);
});

test('[SESSION-2, SESSION-5] the open sessions of one person: the current one first, then by use, each with its own sign-in', async () => {
  const sessions = await undone(db, async (tx) => {
    const [ann, ben] = [await addPerson(tx, 'ann'), await addPerson(tx, 'ben')];
    const at = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);
    const open = async (name: string, user_id: number, made: number, usedAt: number, seconds = 0) => {
      const text = `insert into admin_session (id_hash, user_id, user_type, csrf_token, created_at, last_active_at, confirmed_at)
                    values ($1, $2, 'admin', 'x', $3, $4, $3)`;
      const values = [sessionHash(name), user_id, at(made), new Date(at(usedAt).getTime() - seconds * 1000)];
      await tx.query({ text, values });
      for (const layer of ['admin', 'api'])
        await tx.query({
          text: 'insert into sign_in (user_id, layer, signed_in_at, user_agent) values ($1, $2, $3, $4)',
          values: [user_id, layer, at(made), `${layer} ${name}`],
        });
    };
    await open('older', ann, 90, 20);
    await open('newer', ann, 80, 10);
    await open('current', ann, 100, 30);
    await open('just idle', ann, 120, 60);
    await open('almost idle', ann, 120, 59, 59);
    await open('too old', ann, 12 * 60, 1);
    await open('of another', ben, 80, 1);
    return listOpenSessions(tx, ann, { currentId: 'current', idleSeconds: 3600 }, NOW);
  });
  assert.deepEqual(
    sessions.map(({ user_agent, current }) => [user_agent, current]),
    [
      ['admin current', true],
      ['admin newer', false],
      ['admin older', false],
      ['admin almost idle', false],
    ],
  );
});

test('[EMAIL-9] the list of cases to close has the last day, and the most urgent first', async () => {
  const names = await undone(db, async (tx) => {
    const [ann, ben] = [await addPerson(tx, 'ann'), await addPerson(tx, 'ben')];
    const add = async (name: string, day: string | null, { status = 'active', who = ann } = {}) => {
      const text = 'update case_file set close_due_on = $2, escrow_specialist_id = $3 where id = $1';
      await tx.query({ text, values: [await addCase(tx, name, status), day, who] });
    };
    await add('last day', '2026-06-20');
    await add('next day', '2026-06-21');
    await add('first', '2026-06-01');
    await add('second', '2026-06-01');
    await add('third', '2026-06-02');
    await add('without a day', null);
    await add('of another', '2026-06-01', { who: ben });
    for (const status of ENDED) await add(status, '2026-06-01', { status });
    return (await listClosingCases(tx, ann, { by: '2026-06-20', limit: 10 })).map(({ name }) => name);
  });
  assert.deepEqual(names, ['first', 'second', 'third', 'last day']);
});

test('[HOME-4] an agency’s open cases that need someone: those short of money first, then by the longest wait', async () => {
  const names = await undone(db, async (tx) => {
    const ann = await addPerson(tx, 'ann', 'cm');
    const user = { id: ann, user_type: 'cm', agency_id: 1 } as Parameters<typeof listNeedyCases>[1];
    await rowsOf(tx, 'update user_account set agency_id = 1 where id = $1', ann);
    const add = async (name: string, { planned = 0, waits = '', since = '2026-06-01', status = 'active', on = true } = {}) => {
      const id = await addCase(tx, name, status);
      await rowsOf(tx, 'update case_file set agency_id = 1 where id = $1', id);
      if (on) await rowsOf(tx, 'insert into case_participant (case_id, user_id) values ($1, $2)', id, ann);
      const plan = `insert into scheduled_payment (case_id, category, due_date, amount_cents, status, paid_at)
        select $1::bigint, 'Travel', '2026-07-01'::date, $2::bigint, 'planned', null::timestamptz where $2::bigint > 0
        union all select $1, 'Travel', '2026-07-01', 999, 'paid', now()
        union all select $1, 'Travel', '2026-07-01', 999, 'cancelled', null`;
      await rowsOf(tx, plan, id, planned);
      // Each case has 100 cents.
      const money = `with t as (insert into ledger_transaction (case_id, kind) values ($1, 'deposit') returning id)
        insert into ledger_posting select t.id, $1::bigint, a, c from t, (values ('cash', 100), ('funds', -100)) v (a, c)`;
      await rowsOf(tx, money, id);
      if (waits === '') return;
      await rowsOf(tx, REQUESTS, id);
      await rowsOf(tx, 'delete from disbursement_request where case_id = $1 and status <> $2', id, waits);
      await rowsOf(tx, 'update disbursement_request set status_since = $2 where case_id = $1', id, since);
    };
    await add('submitted later', { waits: 'submitted', since: '2026-06-03' });
    await add('approved', { waits: 'approved', since: '2026-06-02' });
    await add('returned', { waits: 'returned', since: '2026-06-01' });
    for (const waits of ['draft', 'denied', 'batched', 'paid', 'cancelled', 'ended']) await add(waits, { waits });
    await add('short', { planned: 101 });
    await add('short and waiting', { planned: 101, waits: 'submitted', since: '2026-06-05' });
    await add('just enough', { planned: 100 });
    await add('of others', { planned: 101, on: false });
    for (const status of ENDED) await add(status, { planned: 101, status });
    return (await listNeedyCases(tx, user, 20)).map(({ name }) => name);
  });
  assert.deepEqual(names, ['short and waiting', 'short', 'returned', 'approved', 'submitted later']);
});

test('[RETURN-4] a return replaces a change of the bank, and only an account that needs another one keeps its flag', async () => {
  /** The flag before, the bank's new code, and the flag after. R02 and R03 need another account. */
  const flags: [before: string | null, code: string, after: string][] = [
    [null, 'R17', 'R17'],
    [null, 'C01', 'C01'],
    ['C01', 'C05', 'C05'],
    ['C01', 'R17', 'R17'],
    ['R17', 'C05', 'R17'],
    ['R17', 'R01', 'R01'],
    ['R17', 'R02', 'R02'],
    ['R02', 'C05', 'R02'],
    ['R02', 'R17', 'R02'],
    ['R02', 'R03', 'R03'],
  ];
  const after = await undone(db, async (tx) => {
    const results: [string | null, string, string][] = [];
    for (const [before, code] of flags) {
      const account = `insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four,
          account_kind, created_by, usable_from, flag_code, flagged_at)
        select $1::bigint, 'x', 'person', '021000021', 'x', '1234', 'checking', $1, now(), f, case when f is not null then now() end
          from (select nullif($2, '') as f) flag returning id`;
      const [row] = await rowsOf<{ id: number }>(
        tx,
        account,
        await addPerson(tx, `${before}-${code}`.toLowerCase(), 'surrogate'),
        before ?? '',
      );
      const by = { actor: null, origin: SYSTEM };
      await flagAccount(tx, {} as never, { bankAccountId: row?.id ?? 0, code, correction: null, by }, NOW);
      const [now] = await rowsOf<{ flag_code: string }>(
        tx,
        'select flag_code from payee_bank_account where id = $1',
        row?.id ?? 0,
      );
      results.push([before, code, now?.flag_code ?? '']);
    }
    return results;
  });
  assert.deepEqual(after, flags);
});

test('[CASE-8] a milestone happens on a day that has begun somewhere, and not later', async () => {
  const accepted = await undone(db, async (tx) => {
    const caseId = await addCase(tx, 'One');
    const [root] = await rowsOf<User>(tx, `select * from user_account where email_address = 'root@demo.test'`);
    assert.ok(root);
    const isAccepted = (happened_on: string, at: string) =>
      addMilestone(
        { db: tx, now: () => new Date(at) },
        caseId,
        { kind: 'other', happened_on },
        { actor: root, origin: SYSTEM },
      ).then(
        () => true,
        (error) => (error.status === 422 ? false : assert.fail(error)),
      );
    // The first day begins at UTC+14.
    return [
      await isAccepted('2026-06-13', '2026-06-13T00:00:00Z'),
      await isAccepted('2026-06-14', '2026-06-13T09:59:59.999Z'),
      await isAccepted('2026-06-14', '2026-06-13T10:00:00Z'),
      await isAccepted('2026-06-15', '2026-06-13T23:59:59.999Z'),
    ];
  });
  assert.deepEqual(accepted, [true, false, true, false]);
});

test('[PICTURE-1, STAFF-7] staff open a photo ID once it is clean or no picture, and each look is recorded', async () => {
  const storage = createStorage({
    endpoint: 'http://localhost:4002',
    region: 'x',
    bucket: 'files',
    accessKeyId: 'x',
    secretAccessKey: 'x',
    forcePathStyle: true,
  });
  const answers = await undone(db, async (tx) => {
    const [root] = await rowsOf<User>(tx, `select * from user_account where email_address = 'root@demo.test'`);
    assert.ok(root);
    const id = await addPerson(tx, 'shown', 'surrogate');
    const file = `insert into user_file (user_id, purpose, filename, content_type, size, storage_key)
                  values ($1, 'photo_id', 'a.png', 'image/png', 1, 'files/photo_id/shown.png')`;
    const open = () =>
      openPhotoId({ db: tx, storage }, id, { actor: root, origin: SYSTEM }, NOW).then(
        (url) => new URL(url).pathname,
        (error) => error.code,
      );
    const seen = [await open()];
    await rowsOf(tx, file, id);
    seen.push(await open());
    await rowsOf(tx, `insert into stored_picture (storage_key) values ('files/photo_id/shown.png')`);
    for (const state of ['waiting', 'failed', 'clean']) {
      await rowsOf(
        tx,
        `update stored_picture set state = $1, size = 1, failure = case when $1 = 'failed' then 'damaged' end`,
        state,
      );
      seen.push(await open());
    }
    const looks = await rowsOf(
      tx,
      `select from audit_entry where action = 'photo_id.view' and subject_id = $1 and actor_id = $2`,
      id,
      root.id,
    );
    return [...seen, looks.length];
  });
  const path = '/files/files/photo_id/shown.png';
  assert.deepEqual(answers, ['not_found', path, 'picture_not_ready', 'picture_not_ready', path, 2]);
});

test('[CHAIN-7] all conversations of someone who can no longer answer are handed on, however many there are', async () => {
  const left = await undone(db, async (tx) => {
    const [away, lead] = [await addPerson(tx, 'away', 'admin', 'deactivated'), await addPerson(tx, 'lead')];
    await tx.query({
      text: `insert into message_chain (subject, created_by, assigned_admin_id, last_message_id)
             select 'One of many', $1, $2, 0 from generate_series(1, 101)`,
      values: [lead, away],
    });
    await reassignChains({ db: tx });
    return rowsOf<{ owners: number }>(
      tx,
      `select count(assigned_admin_id)::int as owners from message_chain where subject = 'One of many'`,
    );
  });
  assert.deepEqual(left, [{ owners: 0 }]);
});
