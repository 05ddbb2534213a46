import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cancelBatch,
  confirmOutcome,
  confirmReturnFile,
  getBatch,
  releaseFile,
  setBankAccount,
  signFile,
} from '@case-platform/modules/banking';
import { listDisbursements, movePassedDates, retryDisbursement } from '@case-platform/modules/disbursements';
import { createDice } from '../support/hostile/odd-requests.ts';
import { openTwoFamilies } from './two-families.ts';

const HOURS_MS = 3_600_000;
/** Rounds of one history; each gives one command, or two at once. */
const ROUNDS = 60;

const COMMON = ['request', 'approve', 'approve', 'gather', 'make the file', 'cancel a batch', 'wait'];

interface RequestRow {
  id: number;
  status: string;
  approved_account_id: number | null;
  current_account_id: number | null;
  bank_has_it: boolean;
  usable_from: Date | null;
}

/** Opens two families and the commands that move the payments of one of them, in any order. */
async function openHistory(seed: number) {
  const world = await openTwoFamilies();
  const { pool, db, sealing, at, byAndTime, by, family, staff, context } = world;
  const random = createDice(seed);
  const pick = <Thing>(things: readonly Thing[]): Thing | undefined => things[random(Math.max(1, things.length))];
  let numbers = 60_000_000;
  const ids = async (statement: string): Promise<number[]> => (await pool.query(statement)).rows.map(({ id }) => Number(id));
  const requestsIn = (status: string) =>
    ids(`select id from disbursement_request where status = '${status}' and case_id = 1 order by id`);
  const batchesIn = (...statuses: string[]) =>
    ids(`select id from banking_batch where status in (${statuses.map((one) => `'${one}'`).join(', ')}) order by id`);
  const withBatch = async (statuses: string[], act: (id: number, sha256: string) => Promise<unknown>) => {
    const id = pick(await batchesIn(...statuses));
    if (id === undefined) return false;
    await act(id, (await getBatch(db, id, world.now())).file_sha256 ?? '');
    return true;
  };
  const withRequest = async (status: string, act: (id: number) => Promise<unknown>) => {
    const id = pick(await requestsIn(status));
    if (id === undefined) return false;
    await act(id);
    return true;
  };
  const commands: Record<string, () => Promise<unknown>> = {
    request: async () => world.submit(family, await world.ask(family, 100 + random(900))),
    submit: () => withRequest('draft', (id) => world.submit(family, id)),
    approve: () => withRequest('submitted', (id) => world.approve(family, id)),
    'approve again': () => withRequest('submitted', (id) => world.approve(family, id)),
    'change the account': () => {
      numbers += 1;
      const account = { holder_name: 'Sam Doe', routing_number: '021000021', account_kind: 'checking' as const };
      const input = { ...account, account_number: `${numbers}` };
      return setBankAccount(sealing, family.surrogate.id, input, { ...at(family.surrogate), resubmits: random(2) === 0 });
    },
    gather: async () => {
      const some = (await requestsIn('approved')).filter(() => random(2) === 0);
      return some.length > 0 && world.gather(some);
    },
    'make the file': () => withBatch(['draft'], (id) => world.approveAndGenerate(id)),
    release: () =>
      withBatch(['generated'], async (id, sha256) => {
        for (const signer of [staff.root, staff.checker]) await signFile(db, id, sha256, ...byAndTime(signer));
        await releaseFile(db, id, sha256, ...byAndTime(staff.checker));
      }),
    'confirm the outcome': () =>
      withBatch(['outcome_unknown'], (id, sha256) => {
        const outcome = random(3) === 0 ? 'refused' : 'accepted';
        return confirmOutcome(db, id, { outcome, note: 'Phoned', sha256 }, ...byAndTime(staff.checker));
      }),
    'cancel a batch': () =>
      withBatch(['draft', 'approved', 'generated'], (id) => cancelBatch(db, id, 'Wrong', ...byAndTime(staff.maker))),
    settle: () => withBatch(['transmitted'], (id) => world.settle(id)),
    return: async () => {
      const { rows } = await pool.query(
        `select e.disbursement_id as id, e.amount_cents as cents from banking_batch_entry e join banking_batch b on b.id = e.batch_id
          where b.status in ('outcome_unknown', 'transmitted', 'settled') and e.returned_at is null and e.released_at is null`,
      );
      const entry = pick(rows);
      if (entry === undefined) return false;
      const file = await world.takeBack([{ id: Number(entry.id), cents: Number(entry.cents) }], random(2) === 0 ? 'R01' : 'R02');
      await confirmReturnFile(sealing, file, ...byAndTime(staff.checker));
    },
    retry: () =>
      withRequest('returned', (id) => retryDisbursement(context, id, { reason: 'The bank has cleared it' }, by(staff.root))),
    wait: async () => world.setNow(new Date(world.now().getTime() + (pick([1, 20, 49, 49]) ?? 1) * HOURS_MS)),
    'check the days': () => movePassedDates({ db }, {}, world.now()),
  };
  return { world, commands, random, pick };
}
type History = Awaited<ReturnType<typeof openHistory>>;

async function readRequests({ world: { pool } }: History): Promise<Map<number, RequestRow>> {
  const { rows } = await pool.query<Omit<RequestRow, 'id'> & { id: string }>(
    `select d.id, d.status, d.approved_account_id::int, a.id::int as current_account_id,
            coalesce(b.status in ('transmitted', 'settled') and d.status = 'batched', false) as bank_has_it,
            coalesce(paid.usable_from, a.usable_from) as usable_from
       from disbursement_request d
       left join payee_bank_account a on a.user_id = d.payee_id and a.replaced_at is null
       left join banking_batch_entry e on e.disbursement_id = d.id and e.released_at is null and e.returned_at is null
       left join banking_batch b on b.id = e.batch_id
       left join payee_bank_account paid on paid.id = e.bank_account_id
      where d.case_id = 1`,
  );
  return new Map(rows.map(({ id, ...row }) => [Number(id), { id: Number(id), ...row }]));
}

/** An approval for the account that is still the current one survives every step. */
function checkApprovals(earlier: Map<number, RequestRow>, after: Map<number, RequestRow>, where: string): void {
  for (const [id, { status, approved_account_id }] of earlier.entries()) {
    const now = after.get(id);
    const isApproved = status === 'approved' || status === 'batched';
    if (!isApproved || approved_account_id === null || now?.current_account_id !== approved_account_id) continue;
    assert.ok(now.status !== 'draft' && now.status !== 'submitted', `${where}: request ${id} lost its approval`);
  }
}

/** The bank pays only to the account that was approved. */
async function checkAccounts({ world: { pool } }: History, where: string): Promise<void> {
  const { rows } = await pool.query(
    `select e.disbursement_id from banking_batch_entry e join banking_batch b on b.id = e.batch_id
       join disbursement_request d on d.id = e.disbursement_id
      where b.status in ('outcome_unknown', 'transmitted', 'settled') and e.released_at is null and e.returned_at is null
        and e.bank_account_id <> d.approved_account_id`,
  );
  assert.deepEqual(rows, [], where);
}

const bankDays = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York' });

/** People read where each payment is, and no day that a known hold makes impossible. */
async function checkPlaces({ world }: History, requests: Map<number, RequestRow>, where: string): Promise<void> {
  const now = world.now();
  for (const reader of [world.family.surrogate, world.family.parent, world.staff.root]) {
    const { data } = await listDisbursements(world.db, reader, { case_id: 1, limit: 100 }, now);
    for (const { id, status, whereabouts: place } of data) {
      const row = requests.get(id);
      assert.ok(row);
      const story = `${where}: request ${id} (${status}) for ${reader.email_address}: ${JSON.stringify(place)}`;
      assert.equal(/at the bank/i.test(JSON.stringify(place)), row.bank_has_it, story);
      if (place.arrives === null || row.bank_has_it || status === 'paid') continue;
      const usable = row.usable_from ?? now;
      assert.ok(place.arrives.date > bankDays.format(now) || status === 'batched', story);
      if (status !== 'batched') assert.ok(place.arrives.date > bankDays.format(usable), story);
      assert.ok(place.arrives.date >= bankDays.format(now), story);
      assert.ok(![0, 6].includes(new Date(place.arrives.date).getUTCDay()), story);
      assert.equal(place.was === null || place.why !== null, true, story);
    }
  }
}

/** Each step has one notice, by mail and by push: its own, or a part of the one about everything that a new account stopped. */
async function checkNotices({ world: { pool } }: History, where: string): Promise<void> {
  const { rows } = await pool.query<{ task: string; payload: Record<string, unknown> }>(
    `select k.identifier as task, j.payload - '_request' as payload from (select task_id, payload::jsonb from graphile_worker._private_jobs) j
       join graphile_worker._private_tasks k on k.id = j.task_id`,
  );
  const of = (task: string) => rows.filter((row) => row.task === task).map(({ payload }) => JSON.stringify(payload));
  const mails = of('mail_disbursement');
  assert.deepEqual(mails.toSorted(), of('push_disbursement').toSorted(), where);
  const { rows: steps } = await pool.query<{ event: string; id: string; count: string }>(
    `select case action when 'disbursement.submit' then 'submitted' when 'disbursement.approve' then 'approved'
                        when 'disbursement.send' then 'on_its_way' when 'disbursement.pay' then 'paid'
                        when 'disbursement.return' then 'returned' end as event, subject_id as id, count(*) as count
       from audit_entry where subject_type = 'disbursement' and not coalesce(after ->> 'reason' = 'bank_account_changed', false)
        and action in ('disbursement.submit', 'disbursement.approve', 'disbursement.send', 'disbursement.pay', 'disbursement.return')
      group by 1, 2`,
  );
  const expected = steps.map(({ event, id, count }) => `${event} ${id}: ${count}`).sort();
  const counts = Map.groupBy(
    rows.filter(({ task }) => task === 'mail_disbursement'),
    ({ payload: { event, disbursement_id: id } }) => `${event} ${id}`,
  );
  assert.deepEqual([...counts].map(([step, all]) => `${step}: ${all.length}`).sort(), expected, where);
  const { rows: removed } = await pool.query(
    `select subject_id as id from audit_entry where action = 'disbursement.remove_approval'`,
  );
  const listed = rows
    .filter(({ task }) => task === 'mail_stopped_payments')
    .flatMap(({ payload }) => payload.payments as { disbursement_id: number; next: string }[])
    .filter(({ next }) => next === 'draft' || next === 'submitted');
  const idsOf = (some: readonly unknown[]) => some.map(Number).sort((a, b) => a - b);
  assert.deepEqual(idsOf(listed.map((one) => one.disbursement_id)), idsOf(removed.map(({ id }) => id)), where);
}

for (const seed of [2, 3]) {
  test(`[WHERE-2, WHERE-3, WHERE-4, BANK-8] account changes, batches, and returns in any order, two at once: seed ${seed}`, async (t) => {
    const history = await openHistory(seed);
    const { commands, pick, random } = history;
    // Requests have to be written and approved more often than anything else happens to them.
    const names = [...Object.keys(commands), ...COMMON];
    const done = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const chosen = [pick(names), ...(random(3) === 0 ? [pick(names)] : [])].map(String);
      const where = `seed ${seed}, round ${round}: ${chosen.join(' and ')}`;
      const before = await readRequests(history);
      const results = await Promise.allSettled(chosen.map((name) => commands[name]?.()));
      for (const [index, result] of results.entries()) {
        const status = result.status === 'fulfilled' ? 'done' : String(result.reason?.status ?? result.reason);
        assert.match(status, /^(done|4\d\d)$/, `${where}: ${status}`);
        const hasActed = result.status === 'fulfilled' && result.value !== false;
        if (hasActed) done.set(String(chosen[index]), (done.get(String(chosen[index])) ?? 0) + 1);
      }
      const after = await readRequests(history);
      checkApprovals(before, after, where);
      await checkAccounts(history, where);
      await checkPlaces(history, after, where);
      await checkNotices(history, where);
    }
    for (const [name, times] of done) t.diagnostic(`${name}: ${times}`);
  });
}
