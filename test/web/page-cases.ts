import assert from 'node:assert/strict';
import { createDatabase } from '@case-platform/lib/database';
import type pg from 'pg';
import { samplePdf, samplePng } from '../../scripts/demo/sample-files.ts';
import { CAST, type CastName, DEMO_PASSWORD, passwordOf } from '../support/cast.ts';
import { uploadAndConfirm } from '../support/direct-upload.ts';
import { eventually } from '../support/eventually.ts';
import { asBank, BANK, draft, move, moveCash, type RequestFields } from '../support/money.ts';
import { Client, findCastMember } from '../support/platform.ts';

/**
 * Cases for every-page.test.ts, made by the commands of people and staff. Their times are moved to fixed ones of 2023 afterwards, so
 * pages show them exactly and in the same words on any day. Neighbors differ: no two amounts, payees, or times are the same.
 */

/** Ids begin here, so that the id of one thing is not that of another one. */
const FIRST_IDS = {
  case_file: 11,
  disbursement_request: 201,
  message_chain: 301,
  message: 3001,
  scheduled_payment: 401,
  proof_of_funds: 501,
  case_document: 601,
};
/** Tables that stay as they are; of the people, only the cast. */
const STAYS =
  /^(user_account|agency|agency_api_key|admin_.*|permission_catalogue|database_copy|worker_heartbeat|unsubscribe_key|.*migration.*)$/;

export const MAIN = 11;
export const SECOND = 12;
export const NEW = 13;
export const CLOSED = 14;

/** The layers that the cases are made with. `work` does what waits for a worker, if none runs. */
export interface World {
  pool: pg.Pool;
  apiUrl: string;
  work?: () => Promise<void>;
}

export type Person = Client & { name: CastName; cookie: string };
const NAMES = [
  'parent',
  'parent2',
  'surrogate',
  'manager',
  'owner',
  'rep',
  'bothParent',
  'escrow',
  'root',
  'viewer',
  'finance',
] as const;
export type People = Record<(typeof NAMES)[number], Person>;

/** Removes the demo, except for the cast. */
export async function emptyPlatform({ pool }: World): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(`select tablename as name from pg_tables where schemaname = 'public'`);
  const emptied = rows.map(({ name }) => name).filter((name) => !STAYS.test(name));
  const client = await pool.connect();
  try {
    await client.query(`begin; set local session_replication_role = replica; truncate ${emptied.join(', ')}`);
    await client.query(`delete from user_account where email_address not in (select jsonb_array_elements_text($1))`, [
      JSON.stringify(['totp-admin@demo.test', ...Object.values(CAST).map(({ email_address }) => email_address)]),
    ]);
    await client.query(`update user_account set timezone = 'UTC', phone = null where two_factor_method is distinct from 'sms'`);
    for (const [table, id] of Object.entries(FIRST_IDS))
      await client.query(`select setval(pg_get_serial_sequence($1, 'id'), $2, false)`, [table, id]);
    await client.query('commit');
  } finally {
    client.release();
  }
}

/** Signs the people in, at the API and, if there is one, at the web frontend. */
export async function signPeopleIn(stack: World & { webUrl?: string }): Promise<People> {
  const people: Partial<People> = {};
  for (const name of NAMES) people[name] = await signIn(stack, name);
  return people as People;
}

async function signIn({ apiUrl, webUrl, pool }: World & { webUrl?: string }, name: CastName): Promise<Person> {
  const { email_address, user_type } = CAST[name];
  const fields = { email_address, user_type, pass_hash: passwordOf(name) };
  const login = await new Client(apiUrl, null, 0).post('/api/user/auth/login', fields);
  assert.equal(login.status, 200, JSON.stringify(login.body));
  const { id } = await findCastMember({ db: createDatabase(pool) }, name);
  const client = new Client(apiUrl, login.body.access_token, id);
  return Object.assign(client, { name, cookie: webUrl === undefined ? '' : await webCookie(webUrl, fields) });
}

/** Signs in with the same request as the sign-in form. @returns the cookies. */
export async function webCookie(webUrl: string, fields: Record<string, string>): Promise<string> {
  const cookies = (answer: Response) => answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  const asked = await fetch(`${webUrl}/api/auth/csrf`);
  const { csrfToken } = (await asked.json()) as { csrfToken: string };
  const answer = await fetch(`${webUrl}/api/auth/callback/credentials`, {
    method: 'POST',
    headers: { cookie: cookies(asked).join('; ') },
    body: new URLSearchParams({ ...fields, password: '', csrfToken, json: 'true' }),
    redirect: 'manual',
  });
  await answer.text();
  return cookies(answer).join('; ');
}

/** The people who can be paid. */
const PAYEES = { surrogate: 'surrogate', parent2: 'intended_parent', rep: 'ip_company', parent: 'intended_parent' } as const;

/** Calls of people that are required to succeed. */
function commandsOf({ pool }: World, people: People) {
  const api = { db: createDatabase(pool) };
  const ask = async (who: Client, amount_cents: number, fields: RequestFields = {}, payee: keyof typeof PAYEES = 'surrogate') => {
    const to = { user_id: people[payee].userId, user_type: PAYEES[payee] };
    const request = await draft(who, { case_id: MAIN, amount_cents, description: `Ride ${amount_cents}`, payee: to, ...fields });
    return request.id;
  };
  const bank = async (id: number, ...steps: (keyof typeof BANK)[]) => {
    for (const one of steps) await asBank(api, (tx) => Promise.resolve(BANK[one](tx, id)));
  };
  const write = async (who: Client, path: string, fields: Record<string, string>, files: Parameters<Client['form']>[2] = []) => {
    const { status, body } = await who.form(path, fields, files);
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  };
  const to = (...some: [Client, string][]) =>
    JSON.stringify(some.map(([{ userId }, user_type]) => ({ user_id: userId, user_type })));
  const ok = async (answer: Promise<{ status: number; body: unknown }>) => {
    const { status, body } = await answer;
    assert.ok(status < 300, JSON.stringify(body));
    // biome-ignore lint/suspicious/noExplicitAny: an answer of the API.
    return body as any;
  };
  const bankOf = (who: Client, holder_name: string, account_number: string, account_kind: string) =>
    ok(
      who.call('PUT', '/api/user/me/bank-account', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          holder_name,
          routing_number: '021000021',
          account_number,
          account_kind,
          pass_hash: DEMO_PASSWORD,
        }),
      }),
    );
  return { ask, bank, bankOf, ok, to, write };
}

/** Makes the cases and everything in them. Each step is an event in the lives of its people, and gets a time of its own. */
export async function makeCases(stack: World, people: People): Promise<void> {
  const { pool } = stack;
  const db = createDatabase(pool);
  const api = { db };
  const { parent, parent2, surrogate, manager, owner, rep, bothParent, escrow, root, viewer } = people;
  const { ask, bank, bankOf, ok, to, write } = commandsOf(stack, people);
  const starts: Date[] = [];
  const clock = async () => {
    const { rows } = await pool.query<{ at: Date }>(`select date_trunc('milliseconds', clock_timestamp()) as at`);
    return rows[0]?.at ?? new Date(0);
  };
  /** Begins a step in a new millisecond, so that no time of the previous one is in it. */
  const step = async () => {
    const before = await clock();
    let at = before;
    while (at.getTime() === before.getTime()) at = await clock();
    starts.push(at);
  };
  await step();
  const addCase = async (name: string, status: string, members: Person[], agency: number | null, specialist: Person | null) => {
    const { rows } = await pool.query<{ id: number }>(
      `insert into case_file (name, status, agency_id, escrow_specialist_id, approver_id) values ($1, $2, $3, $4, $5) returning id::int`,
      [name, status, agency, specialist?.userId ?? null, members.includes(parent) ? parent.userId : null],
    );
    const id = rows[0]?.id ?? 0;
    for (const [at, { userId }] of members.entries())
      await pool.query('insert into case_participant (case_id, user_id, position) values ($1, $2, $3)', [id, userId, at + 1]);
    if (specialist !== null)
      await pool.query('insert into case_admin (case_id, user_id) values ($1, $2)', [id, specialist.userId]);
    return id;
  };
  await addCase('Alder & Birch', 'active', [parent, parent2, surrogate, manager, owner, rep], 1, escrow);
  await pool.query('insert into case_admin (case_id, user_id) values ($1, $2)', [MAIN, viewer.userId]);
  await step();
  await addCase('Cedar & Dale', 'on_hold', [surrogate, parent, manager, owner], 1, escrow);
  await step();
  await addCase('Elm & Fir', 'intake', [bothParent, owner], null, null);
  await step();
  await addCase('Gorse & Hazel', 'active', [manager, owner], 1, escrow);
  for (let at = 1; at <= 23; at++) {
    await step();
    await addCase(`Many ${at}`, ['pending_funding', 'closing', 'cancelled'][at % 3] ?? '', [owner], 1, null);
  }

  await step();
  for (const [id, kind, amount_cents, memo] of [
    [MAIN, 'deposit', 900_000, 'First wire'],
    [SECOND, 'deposit', 50_000, 'A wire'],
    [CLOSED, 'deposit', 7_700, 'Old wire'],
  ] as const)
    await moveCash(api, id, { kind, amount_cents, memo });
  await pool.query(`update case_file set status = 'closed' where id = $1`, [CLOSED]);
  await step();
  await moveCash(api, MAIN, { kind: 'deposit', amount_cents: 100_003, memo: 'Second wire' });
  await step();
  await moveCash(api, MAIN, { kind: 'refund', amount_cents: 20_002, memo: 'Paid back' });
  await ok(
    root.call('PUT', `/api/cases/${MAIN}/benefits`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        data: [
          { category: 'Travel', cap_cents: 700_000, period: 'case', note: 'Fares', compensation: false },
          { category: 'Gifts', cap_cents: 9_002, period: 'month', note: '', compensation: false },
          { category: 'base compensation', cap_cents: 500_000, period: 'case', note: '', compensation: true },
        ],
      }),
    }),
  );
  const MILESTONES = [
    ['matched', '2022-03-31', 'By video', null],
    ['embryo_transfer', '2022-07-29', '', null],
    ['pregnancy_confirmed', '2022-08-12', 'Second test', 2_760_000],
  ];
  for (const [kind, day, note, cents] of MILESTONES)
    await pool.query(
      'insert into case_milestone (case_id, kind, happened_on, note, funding_required_cents, created_by) values ($1, $2, $3, $4, $5, $6)',
      [MAIN, kind, day, note, cents, escrow.userId],
    );
  await step();
  await bankOf(surrogate, 'Sarah Lindgren', '123456789', 'checking');
  await bankOf(rep, 'Novak Law', '998877665', 'savings');
  await pool.query('update payee_bank_account set usable_from = created_at');
  for (const name of ['contract.pdf', 'insurance.pdf']) {
    await step();
    await uploadAndConfirm(name === 'contract.pdf' ? parent : escrow, `/api/cases/${MAIN}/documents`, {
      filename: name,
      content_type: 'application/pdf',
      content: samplePdf(name.repeat(name.length)),
    });
  }

  // A payment plan: paid, requested, planned, and cancelled lines of two categories.
  const plan = async (category: string, description: string, month: number, amount: number, payee: Client | null, of = MAIN) => {
    const { rows } = await pool.query<{ id: number }>(
      `insert into scheduled_payment (case_id, category, description, due_date, amount_cents, payee_id)
       values ($1, $2, $3, (date_trunc('month', now()) + make_interval(months => $4, days => 14))::date, $5, $6) returning id::int`,
      [of, category, description, month, amount, payee?.userId ?? null],
    );
    return rows[0]?.id ?? 0;
  };
  const first = await plan('base compensation', 'Part 1 of 3', -3, 110_001, surrogate);
  const second = await plan('base compensation', 'Part 2 of 3', 2, 110_002, surrogate);
  await plan('base compensation', 'Part 3 of 3', 3, 110_003, null);
  await plan('Medical', 'More than there is', 3, 60_006, surrogate, SECOND);
  const gone = await plan('Insurance', '', 4, 60_004, rep);
  await plan('Insurance', 'Second year', 5, 560_005, parent2);
  await pool.query(`update scheduled_payment set status = 'cancelled' where id = $1`, [gone]);

  // Requests in every state.
  await step();
  const paid = await ask(surrogate, 110_001, { scheduled_payment_id: first, description: 'Part 1 of 3' });
  await uploadAndConfirm(surrogate, `/api/disbursements/${paid}/files`, {
    filename: 'hours.pdf',
    content_type: 'application/pdf',
    content: samplePdf('hours'),
  });
  await move(surrogate, paid, 'submit');
  await step();
  await move(parent, paid, 'approve', { reason: 'As planned' });
  await step();
  await bank(paid, 'batch');
  await step();
  await bank(paid, 'pay');
  await step();
  const denied = await ask(manager, 4_402, { category: 'Gifts', description: 'Flowers' }, 'rep');
  await move(manager, denied, 'submit');
  await step();
  await move(parent, denied, 'deny', { reason: 'Not covered' });
  const returned = await ask(surrogate, 5_503, { description: 'Hotel near the clinic' });
  const ended = await ask(surrogate, 5_504, { description: 'Second hotel' }, 'rep');
  const again = await ask(surrogate, 5_505, { description: 'Third hotel' });
  const wrongAccount = await ask(surrogate, 5_506, { description: 'Fourth hotel' });
  for (const id of [returned, ended, again, wrongAccount]) {
    await step();
    await move(surrogate, id, 'submit');
    await move(parent, id, 'approve');
    await bank(id, 'batch', 'pay');
    await step();
    await bank(id, 'return');
  }
  await pool.query(`update disbursement_request set return_code = 'R03' where id = $1`, [wrongAccount]);
  await step();
  await ok(root.post(`/api/disbursements/${ended}/end`, { reason: 'Paid by check' }));
  await step();
  await ok(root.post(`/api/disbursements/${again}/retry`, { reason: 'Checked by phone' }));
  await step();
  const cancelled = await ask(rep, 6_606, { description: 'Wrong ride' }, 'rep');
  await move(rep, cancelled, 'cancel');
  await step();
  const approved = await ask(surrogate, 7_707, { scheduled_payment_id: undefined, description: 'Bus tickets' });
  await move(surrogate, approved, 'submit');
  await move(parent, approved, 'approve', { reason: 'Fine' });
  const batched = await ask(rep, 8_808, { description: 'Notary' }, 'rep');
  await step();
  await move(rep, batched, 'submit');
  await move(parent, batched, 'approve');
  await bank(batched, 'batch');
  const sent = await ask(rep, 8_818, { description: 'Translator' }, 'rep');
  await step();
  await move(rep, sent, 'submit');
  await move(parent, sent, 'approve');
  await bank(sent, 'batch');
  await sendToBank(stack, people, sent);
  const noAccount = await ask(surrogate, 9_909, { description: 'Clinic fee' }, 'parent2');
  await step();
  await move(surrogate, noAccount, 'submit');
  await move(parent, noAccount, 'approve');
  await step();
  const waiting = await ask(surrogate, 101_010, { description: 'Flights\nfor two' });
  for (const [filename, content_type, content] of [
    ['fare.png', 'image/png', samplePng()],
    ['seats.pdf', 'application/pdf', samplePdf('seats')],
  ] as const)
    await uploadAndConfirm(surrogate, `/api/disbursements/${waiting}/files`, { filename, content_type, content });
  await move(surrogate, waiting, 'submit');
  await step();
  const over = await ask(manager, 11_111, { category: 'Gifts', description: 'A crib' });
  await move(manager, over, 'submit');
  await step();
  const planned = await ask(surrogate, 110_002, { scheduled_payment_id: second, description: 'Part 2 of 3' });
  await move(surrogate, planned, 'submit');
  await step();
  // The parent cannot approve what is for herself.
  const other = await ask(parent, 12_212, { description: 'Our taxi' }, 'parent');
  await move(parent, other, 'submit');
  await step();
  await ask(surrogate, 13_313, { description: 'Not sent yet', category: 'Gifts' });
  await ask(manager, 13_314, { description: 'A draft of a manager' }, 'rep');
  const sentBack = await ask(rep, 14_414, { description: 'Court fee' }, 'rep');
  await move(rep, sentBack, 'submit');
  await step();
  const inSecond = await ask(surrogate, 15_515, { case_id: SECOND, category: 'Other', description: 'Elsewhere' });
  await move(surrogate, inSecond, 'submit');
  await step();
  const notCovered = await ask(surrogate, 70_017, { case_id: SECOND, category: 'Other', description: 'Too much' });
  await move(surrogate, notCovered, 'submit');

  // Conversations: a group, one with staff, a closed one, and one about a request.
  await step();
  const { chain: group } = await write(parent, '/api/messages', {
    message: 'First words of the group\nhttps://example.test/a',
    subject: 'Scan on Thursday',
    case_id: String(MAIN),
    recipients: to([surrogate, 'surrogate'], [manager, 'case_manager'], [parent2, 'intended_parent']),
  });
  await step();
  await write(surrogate, `/api/messages/${group.id}`, { message: 'I’ll be there.' }, [
    { name: 'map.pdf', type: 'application/pdf', content: samplePdf('map') },
  ]);
  const { message: taken } = await write(manager, `/api/messages/${group.id}`, { message: 'Wrong words' });
  await step();
  await ok(manager.call('DELETE', `/api/messages/${group.id}/${taken.id}`));
  await ok(parent2.post(`/api/messages/${group.id}/viewed`));
  const { chain: staff } = await write(surrogate, '/api/messages', { message: 'A question to staff', case_id: String(MAIN) });
  await step();
  await write(escrow, `/api/messages/${staff.id}`, { message: 'An answer of staff' });
  await write(escrow, `/api/messages/${staff.id}`, { message: 'Another answer' });
  await step();
  const { chain: closed } = await write(parent, '/api/messages', {
    message: 'All done',
    subject: 'Old matter',
    case_id: String(SECOND),
  });
  await ok(
    escrow.call('PATCH', `/api/messages/${closed.id}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ status: 'closed', assigned_admin_id: escrow.userId }),
    }),
  );
  await step();
  const { chain: about } = await write(manager, '/api/messages', { message: 'About the flowers', case_id: String(MAIN) });
  await ok(
    manager.call('PUT', `/api/disbursements/${denied}/chain`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ chain_id: about.id }),
    }),
  );

  // Proofs: one that was withdrawn, and one that has expired when its time is moved.
  await step();
  await ok(parent.post(`/api/cases/${MAIN}/proofs`, { addressee: 'Old Clinic' }));
  await step();
  const gonePaper = await ok(parent.post(`/api/cases/${MAIN}/proofs`, { addressee: 'Green Clinic' }));
  await step();
  await ok(root.post(`/api/cases/${MAIN}/proofs/${gonePaper.id}/withdraw`));
  await step();
  await untilIdle(stack);
  await moveTimes(stack, starts);
  await pool.query(`update scheduled_payment set status = 'paid', paid_at = '2023-02-16 16:00Z' where id = $1`, [first]);
  await pool.query(
    `update disbursement_request set updated_at = updated_at + interval '5 hours' where status in ('paid', 'denied', 'ended')`,
  );
  // The moments of proofs are whole seconds, which may be before those of their steps.
  await pool.query(`update proof_of_funds set made_at = '2023-03-17 22:33Z'::timestamptz + id * interval '1 hour'`);
  // The day of this payment has moved.
  await pool.query(`update disbursement_request set promised_before = '2023-04-05', moved_because = 'not_sent' where id = $1`, [
    approved,
  ]);
}

/** Records that the bank has the file of a batch with only this request. */
async function sendToBank({ pool }: World, { root, finance }: People, id: number): Promise<void> {
  await pool.query(
    `with batch as (
       insert into banking_batch (status, created_by, approved_by, handed_out_by, entry_count, total_cents, effective_date, file,
                                  file_sha256, file_day, file_id_modifier)
       select 'transmitted', $2, $3, $3, 1, amount_cents, '2023-05-05', '\\x00', decode(repeat('00', 32), 'hex'), '2023-05-04', 'A'
         from disbursement_request where id = $1 returning id)
     insert into banking_batch_entry (batch_id, disbursement_id, bank_account_id, amount_cents)
     select batch.id, d.id, a.id, d.amount_cents from batch, disbursement_request d
       join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null where d.id = $1`,
    [id, finance.userId, root.userId],
  );
}

/** Waits until the worker, if there is one, has made the pictures of files. */
async function untilIdle({ pool, work }: World): Promise<void> {
  await work?.();
  await eventually('no job is due', async () => {
    const { rowCount } = await pool.query(
      'select from graphile_worker._private_jobs where locked_at is not null or (run_at <= now() and attempts = 0)',
    );
    return rowCount === 0;
  });
}

/**
 * Makes the events of today and yesterday, among them a change of the surrogate's bank account.
 * @returns the codes of the proofs, newest first.
 */
export async function makeToday(stack: World, people: People): Promise<string[]> {
  const { parent, surrogate } = people;
  const { ask, bank, bankOf, ok, write } = commandsOf(stack, people);
  const fresh = await ask(surrogate, 21_212, { description: 'Fresh ride' });
  await move(surrogate, fresh, 'submit');
  const before = await ask(surrogate, 32_323, { description: 'Ride of yesterday' });
  await move(surrogate, before, 'submit');
  for (let at = 1; at <= 8; at++) {
    const paid = await ask(surrogate, 40_000 + at, { description: `Paid today ${at}` });
    await move(surrogate, paid, 'submit');
    await move(parent, paid, 'approve');
    await bank(paid, 'batch', 'pay');
  }
  await write(surrogate, '/api/messages/301', { message: 'New words' });
  await bankOf(surrogate, 'Sarah Lindgren', '555566667', 'savings');
  const { rows } = await stack.pool.query<{ id: number }>(
    `select id::int from disbursement_request where description = 'Bus tickets'`,
  );
  for (const { id } of rows) await move(surrogate, id, 'submit');
  await ok(parent.post(`/api/cases/${MAIN}/proofs`, { addressee: 'New Clinic' }));
  await stack.pool.query(`update payee_bank_account set flag_code = 'R03', flagged_at = now() where user_id = $1`, [
    people.rep.userId,
  ]);
  const client = await stack.pool.connect();
  await client.query('begin; set local session_replication_role = replica');
  const columns = ['created_at', 'updated_at', 'submitted_at', 'status_since'].map(
    (name) => `${name} = now() - interval '24 hours'`,
  );
  await client.query(`update disbursement_request set ${columns.join(', ')} where id = $1`, [before]);
  await client.query('commit');
  client.release();
  await untilIdle(stack);
  const { data } = await ok(parent.get(`/api/cases/${MAIN}/proofs`));
  return data.map(({ code }: { code: string }) => code);
}

/** The parent stops all payments to the surrogate. */
export async function stopPayments(stack: World, people: People): Promise<void> {
  const { ok } = commandsOf(stack, people);
  const { rows } = await stack.pool.query<{ id: number }>(
    `select id::int from disbursement_request where description = 'Bus tickets'`,
  );
  for (const { id } of rows) await ok(people.parent.post(`/api/disbursements/${id}/question`, { text: 'Strange', alarm: true }));
}

/** The first step gets this time, and each later one comes a day and a half after it. */
const FIRST_TIME = Date.parse('2023-01-09T23:41:00Z');
const STEP_MS = 37 * 3_600_000 + 7 * 60_000;

/** Moves the times of each step to a fixed one. Times after now stay as far from their step as they are, to the hour. */
async function moveTimes({ pool }: World, starts: readonly Date[]): Promise<void> {
  const { rows: columns } = await pool.query<{ table: string; column: string }>(
    `select c.table_name as table, c.column_name as column from information_schema.columns c
       join pg_tables t on t.schemaname = 'public' and t.tablename = c.table_name
      where c.table_schema = 'public' and c.data_type = 'timestamp with time zone' and c.is_generated = 'NEVER'`,
  );
  const steps = starts.map((at, index) => ({ at: at.toISOString(), time: new Date(FIRST_TIME + index * STEP_MS).toISOString() }));
  const client = await pool.connect();
  try {
    await client.query(`begin; set local session_replication_role = replica;
      create temporary table step (at timestamptz, time timestamptz) on commit drop`);
    await client.query(`insert into step select * from jsonb_to_recordset($1) as s (at timestamptz, time timestamptz)`, [
      JSON.stringify(steps),
    ]);
    for (const { table, column } of columns) {
      if (
        /^(sign_in|tfa_challenge|throttle|call_count|ended_web_session|admin_session|worker_heartbeat|pending_upload)$/.test(
          table,
        )
      )
        continue;
      await client.query(
        `update ${table} set ${column} = (select time from step where at <= least(${column}, now()) order by at desc limit 1)
           + case when ${column} > now() then date_trunc('hour', ${column} - now()) else interval '0' end
          where ${column} >= $1`,
        [starts[0]],
      );
    }
    await client.query('commit');
  } finally {
    client.release();
  }
}
