import assert from 'node:assert/strict';
import type pg from 'pg';
import { findIds, type MoneyWorld } from './money-world.ts';

/**
 * Compares the figures that people see with sums that are computed here from the rows, without the platform's own statements: the
 * balance, statement, contract limits, and projection of a case, the payments to a person, a home page, and a proof of funds.
 */
export async function checkFigures(world: MoneyWorld): Promise<void> {
  const caseId = world.pickCase();
  const available = await checkBalance(world, caseId);
  await checkStatement(world, caseId);
  await checkBenefits(world, caseId);
  await checkProjection(world, caseId, available);
  await checkPayments(world);
  if (world.once(3)) await checkHome(world);
  await checkProof(world);
  await checkPlaces(world, caseId);
}

const bankDays = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York' });
const bankDay = (at: Date) => bankDays.format(at);
const dayBefore = (day: string, days: number) => new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
const sumOf = <Row>(rows: readonly Row[], cents: (row: Row) => number) => rows.reduce((sum, row) => sum + cents(row), 0);

async function ask(world: MoneyWorld, path: string) {
  const answer = await world.read(path);
  assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** @returns the available amount. */
async function checkBalance(world: MoneyWorld, caseId: number): Promise<number> {
  const { rows } = await world.pool.query<{ kind: string; cents: string }>(
    `select kind, sum(amount_cents) as cents from cash_entry where case_id = $1 and status = 'confirmed' group by kind
     union all select status, sum(amount_cents) from disbursement_request where case_id = $1 group by status`,
    [caseId],
  );
  const cents = (kind: string) => Number(rows.find((row) => row.kind === kind)?.cents ?? 0);
  const funded_cents = cents('deposit') - cents('refund');
  const held_cents = cents('approved') + cents('batched');
  const paid_cents = cents('paid');
  const available_cents = funded_cents - held_cents - paid_cents;
  const { balance } = await ask(world, `/api/cases/${caseId}`);
  assert.deepEqual(balance, { funded_cents, held_cents, paid_cents, available_cents }, `balance of case ${caseId}`);
  return available_cents;
}

/** Checks a year of a case, and some days of it. */
async function checkStatement(world: MoneyWorld, caseId: number): Promise<void> {
  const { pool, random } = world;
  const { rows } = await pool.query<{ kind: string; cents: string; created_at: Date; disbursement_id: string | null }>(
    `select t.kind, p.amount_cents as cents, t.created_at, t.disbursement_id from ledger_transaction t
       join ledger_posting p on p.transaction_id = t.id and p.account = 'cash'
      where t.case_id = $1 order by t.id`,
    [caseId],
  );
  let balance_cents = 0;
  const lines = rows.map(({ kind, cents, created_at, disbursement_id }) => {
    balance_cents += Number(cents);
    assert.ok(balance_cents >= 0, `case ${caseId} was overdrawn once`);
    const amount_cents = Number(cents);
    const request = disbursement_id === null ? null : Number(disbursement_id);
    return { date: bankDay(created_at), kind, amount_cents, balance_cents, disbursement_id: request };
  });
  const today = bankDay(world.now());
  const last = dayBefore(today, random(20));
  for (const [from, to] of [
    [dayBefore(today, 365), today],
    [dayBefore(last, random(40)), last],
  ] as const) {
    const before = lines.filter(({ date }) => date < from);
    const within = lines.filter(({ date }) => date >= from && date <= to);
    const shown = await ask(world, `/api/cases/${caseId}/statement?from=${from}&to=${to}`);
    const where = `statement of case ${caseId} from ${from} to ${to}`;
    const opening = before.at(-1)?.balance_cents ?? 0;
    assert.equal(shown.opening_balance_cents, opening, where);
    assert.equal(shown.closing_balance_cents, opening + sumOf(within, ({ amount_cents }) => amount_cents), where);
    const parts = shown.data.map(({ description, category, payee, ...line }: Record<string, unknown>) => line);
    assert.deepEqual(parts, within, where);
    if (to !== today) continue;
    const { rows: ledger } = await pool.query(
      `select amount_cents as cents from ledger_balance where case_id = $1 and account = 'cash'`,
      [caseId],
    );
    assert.equal(shown.closing_balance_cents, Number(ledger[0]?.cents ?? 0), where);
  }
}

/** Only what the bank has is "At the bank", and no day is earlier than the known holds allow (WHERE-2, WHERE-4). */
async function checkPlaces(world: MoneyWorld, caseId: number): Promise<void> {
  const { rows } = await world.pool.query<{ id: string; bank_has_it: boolean; usable_from: Date | null }>(
    `select d.id, coalesce(d.status = 'batched' and b.status in ('transmitted', 'settled'), false) as bank_has_it,
            case when d.status in ('submitted', 'approved') then a.usable_from end as usable_from
       from disbursement_request d
       left join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null
       left join banking_batch_entry e on e.disbursement_id = d.id and e.released_at is null and e.returned_at is null
       left join banking_batch b on b.id = e.batch_id where d.case_id = $1`,
    [caseId],
  );
  const facts = new Map(rows.map(({ id, ...row }) => [Number(id), row]));
  const { data } = await ask(world, `/api/cases/${caseId}/disbursements?limit=100`);
  for (const { id, status, whereabouts } of data) {
    const { bank_has_it, usable_from = null } = facts.get(id) ?? {};
    const where = `request ${id} (${status}): ${JSON.stringify(whereabouts)}`;
    assert.equal(whereabouts.label === 'At the bank', bank_has_it, where);
    if (whereabouts.arrives === null || bank_has_it === true || status === 'paid') continue;
    const now = world.now();
    assert.ok(whereabouts.arrives.date >= bankDay(now), where);
    if (status !== 'batched')
      assert.ok(whereabouts.arrives.date > bankDay(usable_from !== null && usable_from > now ? usable_from : now), where);
  }
}

export interface BenefitTaken {
  category: string;
  cap_cents: number;
  used_cents: number;
  held_cents: number;
}

/** The contract limits of a case with what was used of each, in the month of a moment for monthly ones. */
export async function readBenefits(pool: pg.Pool, caseId: number, at: Date): Promise<BenefitTaken[]> {
  const { rows: benefits } = await pool.query('select * from case_benefit where case_id = $1', [caseId]);
  const { rows: requests } = await pool.query(
    `select category, amount_cents, status, submitted_at from disbursement_request
      where case_id = $1 and status in ('submitted', 'approved', 'batched', 'paid')`,
    [caseId],
  );
  const month = (moment: Date) => bankDay(moment).slice(0, 7);
  return benefits.map(({ category, period, cap_cents }) => {
    const own = requests.filter(
      (request) =>
        request.category.toLowerCase() === category.toLowerCase() &&
        (period === 'case' || month(request.submitted_at) === month(at)),
    );
    const taken = (isPaid: boolean) =>
      sumOf(own, ({ status, amount_cents }) => ((status === 'paid') === isPaid ? Number(amount_cents) : 0));
    return { category, cap_cents: Number(cap_cents), used_cents: taken(true), held_cents: taken(false) };
  });
}

async function checkBenefits(world: MoneyWorld, caseId: number): Promise<void> {
  const expected = (await readBenefits(world.pool, caseId, world.now())).map((one) => {
    return { ...one, left_cents: Math.max(one.cap_cents - one.used_cents - one.held_cents, 0) };
  });
  const { data } = await ask(world, `/api/cases/${caseId}/benefits`);
  const shown = data.map(({ period, note, compensation, ...figures }: Record<string, unknown>) => figures);
  const byCategory = (one: { category: string }, other: { category: string }) => (one.category < other.category ? -1 : 1);
  assert.deepEqual(shown.sort(byCategory), expected.sort(byCategory), `benefits of case ${caseId}`);
}

async function checkProjection(world: MoneyWorld, caseId: number, available: number): Promise<void> {
  const months = 1 + world.random(24);
  const { rows } = await world.pool.query<{ due: string; cents: string }>(
    `select s.due_date::text as due, greatest(s.amount_cents - coalesce(sum(d.amount_cents), 0), 0) as cents
       from scheduled_payment s
       join case_file c on c.id = s.case_id and c.status not in ('closed', 'cancelled')
       left join disbursement_request d on d.scheduled_payment_id = s.id and d.status in ('approved', 'batched', 'paid')
      where s.case_id = $1 and s.status = 'planned' group by s.id`,
    [caseId],
  );
  const [year = 0, first = 1] = bankDay(world.now()).split('-').map(Number);
  let available_cents = available;
  const data = Array.from({ length: months }, (_, at) => {
    const month = new Date(Date.UTC(year, first - 1 + at)).toISOString().slice(0, 7);
    const due = rows.filter((row) => row.due.slice(0, 7) === month || (at === 0 && row.due.slice(0, 7) < month));
    const planned_cents = sumOf(due, ({ cents }) => Number(cents));
    available_cents -= planned_cents;
    return { month, planned_cents, available_cents };
  });
  const shortfall = shortfallOf(rows, { available, first: bankDay(world.now()).slice(0, 7) });
  const shown = await ask(world, `/api/cases/${caseId}/projection?months=${months}`);
  assert.deepEqual(shown, { data, shortfall }, `projection of case ${caseId}`);
}

/** The deficit of the whole plan, and the first month that falls short, day by day (PROJECTION-2). */
function shortfallOf(
  rows: readonly { due: string; cents: string }[],
  { available, first }: { available: number; first: string },
) {
  let remaining = available;
  let month: string | null = null;
  for (const { due, cents } of rows.toSorted((one, other) => (one.due < other.due ? -1 : 1))) {
    remaining -= Number(cents);
    if (remaining < 0) month ??= due.slice(0, 7) < first ? first : due.slice(0, 7);
  }
  return month === null ? null : { month, missing_cents: -remaining };
}

/** Checks the payments to a person one by one against the audit log, and their sum against the bank files. */
async function checkPayments(world: MoneyWorld): Promise<void> {
  const { people, pool, pick, now } = world;
  const paid = await findIds(pool, `select distinct payee_id as id from disbursement_request where paid_at is not null`);
  const all = Object.values(people);
  const payees = all.filter(({ userId }) => paid.includes(userId));
  const who = pick(payees.length === 0 ? all : payees);
  const { userId } = who;
  const today = bankDay(now());
  const answer = await who.get(`/api/user/me/payments?from=${dayBefore(today, 365)}&to=${today}`);
  assert.equal(answer.status, 200);
  const { rows: sums } = await pool.query(
    `select coalesce(sum(e.amount_cents), 0) as cents from banking_batch_entry e
       join banking_batch b on b.id = e.batch_id and b.status = 'settled'
       join disbursement_request d on d.id = e.disbursement_id and d.payee_id = $1
      where e.released_at is null and e.returned_at is null`,
    [userId],
  );
  assert.equal(answer.body.total_cents, Number(sums[0].cents), `paid to ${userId}`);
  // A request that came back and is to be paid again may have another amount by now.
  const { rows } = await pool.query<{ line: string }>(
    `select concat_ws(' ', d.id, regexp_replace(a.subject_label, '^.*[$]|[,.]', '', 'g')::bigint,
              case when d.status = 'paid' and a.id = max(a.id) over (partition by d.id) then 'paid' else 'returned' end) as line
       from audit_entry a join disbursement_request d on d.id = a.subject_id and d.payee_id = $1
      where a.subject_type = 'disbursement' and a.action = 'disbursement.pay'`,
    [userId],
  );
  const shown = answer.body.data.map((one: Record<string, unknown>) =>
    [one.disbursement_id, one.amount_cents, one.state].join(' '),
  );
  assert.deepEqual(shown.sort(), rows.map(({ line }) => line).sort(), `payments to ${userId}`);
}

/** Checks what waits for a person, what came back to them, and a parent's balance. */
async function checkHome(world: MoneyWorld): Promise<void> {
  const { people, pool, pick } = world;
  const name = pick(Object.keys(people) as (keyof typeof people)[]);
  const { body, status } = await people[name].get('/api/home');
  assert.equal(status, 200, JSON.stringify(body));
  const { rows } = await pool.query(
    `select id from (
       select d.id, a.id is not null as changed, row_number() over (order by d.id desc) as place
         from disbursement_request d
         join case_participant p on p.case_id = d.case_id and p.user_id = d.approver_id and p.left_at is null
         left join payee_bank_account a
           on a.user_id = d.payee_id and a.replaced_at is null and a.id <> d.approved_account_id
        where d.approver_id = $1 and d.status = 'submitted') d where changed or place <= 20 order by id desc`,
    [people[name].userId],
  );
  assert.deepEqual(
    body.decisions.map(({ id }: { id: number }) => id),
    rows.map(({ id }) => Number(id)),
    `what waits for ${name}`,
  );
  for (const one of body.returned) assert.equal(one.status, 'returned');
  if (body.balance === null) return;
  const { balance } = await ask(world, `/api/cases/${body.balance.case_id}`);
  const { available_cents, held_cents } = body.balance;
  assert.deepEqual({ available_cents, held_cents }, pickFields(balance), `balance on the first page of ${name}`);
}

function pickFields({ available_cents, held_cents }: Record<'available_cents' | 'held_cents', number>) {
  return { available_cents, held_cents };
}

/** Checks that a proof holds while the case has the stated amount, and for at most 90 days. */
async function checkProof({ proofs, api, pool, pick, now }: MoneyWorld): Promise<void> {
  if (proofs.length === 0) return;
  const { caseId, code, madeAt } = pick(proofs);
  const { status, body } = await api.anonymous.get(`/api/proof/${code}`);
  assert.equal(status, 200);
  assert.equal(body.case_id, caseId);
  const { rows } = await pool.query(
    `select -amount_cents as cents from ledger_balance where case_id = $1 and account = 'funds'`,
    [caseId],
  );
  // A proof states the start of its minute.
  const isYoung = now().getTime() - Math.floor(madeAt.getTime() / 60_000) * 60_000 < 90 * 86_400_000;
  assert.equal(body.holds, isYoung && Number(rows[0]?.cents ?? 0) >= body.amount_cents, `proof ${code}`);
}
