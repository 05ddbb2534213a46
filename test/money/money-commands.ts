import assert from 'node:assert/strict';
import { takeIn } from '../admin/batches/batches-desk.ts';
import type { Client } from '../support/platform.ts';
import { returnFile } from '../support/return-file.ts';
import { findIds, type MoneyWorld, putAccount, type SeenRequest } from './money-world.ts';

/** One command of somebody's, which can be sent again as it was. Gives the status of the answer. */
export type Send = () => Promise<number>;
type Prepare = (world: MoneyWorld) => Promise<Send | null>;

const AMOUNTS = [1, 99, 300_00, 4_500_00, 12_345_67, 9_999_999_999];
/** Who may record, batch and pay. */
const PAYERS = ['root', 'finance'];
const CATEGORIES = ['Travel', 'Medical', 'Monthly allowance'];

/** Every command that moves money or decides about it, by whoever may and whoever may not. */
export const COMMANDS: Record<string, { weight: number; prepare: Prepare }> = {
  'deposit or refund': { weight: 3, prepare: recordCash },
  'decide about a deposit': { weight: 4, prepare: decideCash },
  'write a request': { weight: 6, prepare: write },
  'change a request': { weight: 2, prepare: change },
  'send a request': { weight: 5, prepare: moveRequest('submit', ['draft']) },
  'cancel a request': { weight: 1, prepare: moveRequest('cancel', ['draft', 'submitted']) },
  'approve a request': { weight: 12, prepare: decide('approve') },
  'deny a request': { weight: 1, prepare: decide('deny') },
  'pay again what came back': { weight: 3, prepare: payAgain },
  'give a bank account': { weight: 1, prepare: giveAccount },
  'gather a batch': { weight: 6, prepare: gather },
  'step of a batch': { weight: 24, prepare: stepOfBatch },
  'read a return file in': { weight: 4, prepare: readReturns },
  'decide about a return file': { weight: 6, prepare: decideReturns },
};

async function recordCash(world: MoneyWorld): Promise<Send> {
  const { staff, pick, once, caseId } = world;
  const who = world.who(staff, PAYERS);
  const path = `/cases/${caseId}/money`;
  const page = await who.get(path);
  const fields = { kind: once(4) ? 'refund' : 'deposit', amount: dollars(pick(AMOUNTS)), memo: 'Wire' };
  return async () => (await who.fill(page, path, fields)).status;
}

async function decideCash(world: MoneyWorld): Promise<Send | null> {
  const { staff, pick, once, caseId } = world;
  const who = world.who(staff, PAYERS);
  const page = await who.get(`/cases/${caseId}/money`);
  const paths = [...page.text.matchAll(/action="([^"]+\/money\/\d+\/(?:confirm|refuse))"/g)].map(
    ([, path = '']) => path,
  );
  if (paths.length === 0) return null;
  const path = pick(paths.filter((one) => one.endsWith('confirm') || once(4)).concat(paths[0] as string));
  return async () => (await who.fill(page, path, { reason: 'Not ours' })).status;
}

async function write(world: MoneyWorld): Promise<Send> {
  const { people, pick, random, caseId } = world;
  const who = world.who(people, ['surrogate', 'manager', 'parent']);
  const amount_cents = pick(AMOUNTS.slice(0, -1)) + random(50);
  const body = { amount_cents, category: pick(CATEGORIES), description: 'Train to the clinic' };
  const key = `${random(1e9)}-${random(1e9)}`;
  return async () => (await who.post(`/api/cases/${caseId}/disbursements`, body, { 'idempotency-key': key })).status;
}

async function change(world: MoneyWorld): Promise<Send | null> {
  const id = await pickRequest(world, ['draft', 'draft', 'submitted', 'approved', 'returned']);
  if (id === null) return null;
  const who = await makerOf(world, id);
  const body = JSON.stringify({ amount_cents: world.pick(AMOUNTS) });
  const headers = { 'content-type': 'application/json' };
  return async () => (await who.call('PATCH', `/api/disbursements/${id}`, { body, headers })).status;
}

function moveRequest(command: 'submit' | 'cancel', from: string[]): Prepare {
  return async (world) => {
    const id = await pickRequest(world, from);
    if (id === null) return null;
    if (world.once(6)) return byStaff(world, id, command);
    const who = await makerOf(world, id);
    return async () => (await who.post(`/api/disbursements/${id}/${command}`)).status;
  };
}

/** As one sees the request, or as somebody saw it once. What is approved is what was seen. */
function decide(command: 'approve' | 'deny'): Prepare {
  return async (world) => {
    const id = await pickRequest(world, ['submitted']);
    if (id === null) return null;
    if (world.once(6)) return byStaff(world, id, command);
    const who = world.who(world.people, ['parent', 'parent', 'parent', 'parent2']);
    const look = world.once(5) ? world.pick([...world.seen, await see(who, id)]) : await see(who, id);
    if (look === null) return null;
    world.seen.push(look);
    if (command === 'approve') noteApproval(world, look);
    const { version } = look;
    return async () => {
      const answer = await who.post(`/api/disbursements/${look.id}/${command}`, { version, reason: 'Not covered' });
      if (answer.status === 200) assert.equal(answer.body.amount_cents, look.amount_cents, 'what was seen is decided');
      return answer.status;
    };
  };
}

async function see(who: Client, id: number): Promise<SeenRequest | null> {
  const { status, body } = await who.get(`/api/disbursements/${id}`);
  return status === 200 ? { id, version: body.version, amount_cents: body.amount_cents } : null;
}

function noteApproval({ approved }: MoneyWorld, { id, amount_cents }: Pick<SeenRequest, 'id' | 'amount_cents'>): void {
  approved.set(id, (approved.get(id) ?? new Set()).add(amount_cents));
}

/** A form of the staff application's page of a request, filled in as it is shown. */
async function byStaff(world: MoneyWorld, id: number, command: string): Promise<Send> {
  const who = world.who(world.staff, ['root', 'escrow']);
  const page = await who.get(`/disbursements/${id}`);
  // Nothing else happens while the page is looked at.
  const [amount_cents = 0] = await findIds(
    world.pool,
    'select amount_cents as id from disbursement_request where id = $1',
    [id],
  );
  if (command === 'approve') noteApproval(world, { id, amount_cents });
  return async () => (await who.fill(page, `/disbursements/${id}/${command}`, { reason: 'Not covered' })).status;
}

async function payAgain(world: MoneyWorld): Promise<Send | null> {
  const id = await pickRequest(world, ['returned']);
  return id === null ? null : byStaff(world, id, 'retry');
}

async function giveAccount({ people, pick, random }: MoneyWorld): Promise<Send> {
  const who = pick(Object.values(people));
  const account_number = String(10_000_000 + random(3));
  return async () => (await putAccount(who, account_number)).status;
}

async function gather(world: MoneyWorld): Promise<Send | null> {
  const { staff, pool, once } = world;
  const ready = await findIds(
    pool,
    `select id from disbursement_request where status = 'approved' or ($1 and status in ('batched', 'returned', 'paid'))`,
    [once(6)],
  );
  if (ready.length === 0) return null;
  const who = world.who(staff, PAYERS);
  const ids = ready.filter(() => !once(3)).slice(0, 6);
  return async () => (await who.post('/batches', { disbursement_ids: ids.map(String) })).status;
}

const STEPS: Record<string, string[]> = {
  draft: ['approve', 'approve', 'approve', 'approve', 'remove'],
  approved: ['generate', 'generate', 'generate', 'generate', 'cancel'],
  generated: ['sign', 'sign', 'hand-out', 'hand-out'],
  outcome_unknown: ['outcome', 'outcome', 'settle'],
  transmitted: ['settle', 'settle', 'cancel'],
  settled: ['settle', 'cancel', 'outcome'],
};

/** The next step of a batch, or one that is not due, from its page. */
async function stepOfBatch(world: MoneyWorld): Promise<Send | null> {
  const { pool, pick, once } = world;
  const { rows } = await pool.query(
    `select id, status from banking_batch where status <> 'cancelled' order by (status = 'settled'), id desc limit 4`,
  );
  if (rows.length === 0) return null;
  const { id, status } = pick(rows);
  const name = once(10) ? pick(Object.values(STEPS).flat()) : pick(STEPS[status] ?? ['cancel']);
  const { who, page } = await openBatch(world, id, name);
  const entries = await findIds(pool, 'select disbursement_id as id from banking_batch_entry where batch_id = $1', [
    id,
  ]);
  const fields = {
    outcome: once(5) ? 'refused' : 'accepted',
    note: 'Confirmation 1',
    reason: 'Not today',
    disbursement_id: String(pick([...entries, 0])),
    before_bank_date: 'yes',
  };
  return async () => (await who.fill(page, `/batches/${id}/${name}`, fields)).status;
}

/** The page of a batch for somebody who has this button there; for anybody when nobody has it. */
async function openBatch({ staff, once, pick }: MoneyWorld, id: number, name: string) {
  const first = pick(Object.values(staff));
  const all = once(4) ? [first] : [staff.root, staff.finance, first];
  for (const who of all) {
    const page = await who.get(`/batches/${id}`);
    if (page.text.includes(`action="/batches/${id}/${name}"`) || who === all.at(-1)) return { who, page };
  }
  throw new Error('nobody is on the staff');
}

async function readReturns(world: MoneyWorld): Promise<Send | null> {
  const { staff, pool, pick, once } = world;
  const { rows } = await pool.query(
    `select e.trace_number, e.amount_cents from banking_batch_entry e join banking_batch b on b.id = e.batch_id
      where e.trace_number is not null and b.status in ('outcome_unknown', 'transmitted', 'settled')
      order by e.id desc limit 8`,
  );
  if (rows.length === 0) return null;
  const who = world.who(staff, PAYERS);
  const returned = rows
    .filter(() => once(2))
    .slice(0, 3)
    .map(({ trace_number, amount_cents }) => ({
      code: pick(['R01', 'R02', 'R03']),
      trace: String(trace_number),
      cents: Number(amount_cents) + (once(8) ? 1 : 0),
    }));
  if (returned.length === 0) return null;
  return async () => (await takeIn(who, returnFile(returned))).status;
}

async function decideReturns(world: MoneyWorld): Promise<Send | null> {
  const { staff, pool, pick, once } = world;
  const files = await findIds(pool, `select id from bank_return_file where status = 'waiting'`);
  if (files.length === 0) return null;
  const path = `/batches/returns/${pick(files)}`;
  const who = world.who(staff, PAYERS);
  const page = await who.get(path);
  const name = once(5) ? 'refuse' : 'confirm';
  return async () => (await who.fill(page, `${path}/${name}`, { reason: 'Not from our bank' })).status;
}

/** Mostly who wrote a request. */
async function makerOf({ pool, people, once, pick }: MoneyWorld, id: number): Promise<Client> {
  const [maker] = await findIds(pool, 'select created_by as id from disbursement_request where id = $1', [id]);
  const all = Object.values(people);
  return (once(5) ? undefined : all.find(({ userId }) => userId === maker)) ?? pick(all);
}

/** Mostly one that the command is for. */
async function pickRequest({ pool, pick, once }: MoneyWorld, statuses: string[]): Promise<number | null> {
  const isAny = once(6);
  const ids = await findIds(
    pool,
    'select id from disbursement_request where $1 or status = any($2) order by id desc limit 12',
    [isAny, statuses],
  );
  return ids.length === 0 ? null : pick(ids);
}

function dollars(amount_cents: number): string {
  return (amount_cents / 100).toFixed(2);
}
