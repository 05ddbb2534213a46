import assert from 'node:assert/strict';
import type { Answer, Client } from '../../support/platform.ts';
import { readBenefits } from '../money-figures.ts';
import { findIds, type MoneyWorld, type SeenRequest, TERMS } from '../money-world.ts';
import { AMOUNTS, CATEGORIES, type Command, type Prepare, pickRequest, type Send } from './command.ts';

/** Commands that write, change, and decide about requests. */
export const REQUESTS: Record<string, Command> = {
  'write a request': { weight: 9, prepare: write },
  'change a request': { weight: 4, prepare: change },
  'send a request': { weight: 14, prepare: moveRequest('submit', ['draft']) },
  'cancel a request': { weight: 1, prepare: moveRequest('cancel', ['draft', 'submitted']) },
  'approve a request': { weight: 24, prepare: decide('approve') },
  'undo an approval': { weight: 5, prepare: undoApproval },
  'deny a request': { weight: 1, prepare: decide('deny') },
  'pay again what came back': { weight: 6, prepare: payAgain },
};

async function write(world: MoneyWorld): Promise<Send> {
  const { people, pool, pick, random, once } = world;
  const caseId = world.pickCase();
  const who = world.who(people, caseId === world.cases[0] ? ['surrogate', 'manager', 'parent'] : ['bothSurrogate']);
  const planned = once(2)
    ? await findIds(pool, `select id from scheduled_payment where case_id = $1 order by id desc limit 4`, [caseId])
    : [];
  const body = {
    amount_cents: pick([...AMOUNTS.slice(0, 4), ...AMOUNTS.slice(0, 5)]) + random(50),
    category: pick(CATEGORIES),
    description: 'Train to the clinic',
    ...(planned.length === 0 ? {} : { scheduled_payment_id: pick(planned) }),
  };
  const key = `${random(1e9)}-${random(1e9)}`;
  return async () => (await who.post(`/api/cases/${caseId}/disbursements`, body, { 'idempotency-key': key })).status;
}

async function change(world: MoneyWorld): Promise<Send | null> {
  const { pick, once } = world;
  const id = await pickRequest(world, ['draft', 'draft', 'submitted', 'approved', 'returned']);
  if (id === null) return null;
  const who = await makerOf(world, id);
  // The approver may have looked at it earlier, and may decide based on that.
  const before = await see(await approverOf(world, id), id);
  if (before !== null) world.seen.push(before);
  const { user_type, user_id } = pick(world.payees);
  const fields = once(2) ? { amount_cents: pick(AMOUNTS) } : once(2) ? { payee: { user_type, user_id } } : null;
  const body = JSON.stringify(fields ?? { category: pick(CATEGORIES), description: 'Flight' });
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

/** Decides about a request as it is shown now or as someone saw it earlier. Only what was seen may be approved. */
function decide(command: 'approve' | 'deny'): Prepare {
  return async (world) => {
    const { once, pick } = world;
    const id = await pickRequest(world, ['submitted']);
    if (id === null) return null;
    if (once(6)) return byStaff(world, id, command);
    // Sometimes the maker tries to decide as well.
    const who = await (once(5) ? makerOf(world, id) : approverOf(world, id));
    const earlier = once(4) ? world.seen.filter((seen) => seen.id === id) : once(12) ? world.seen : [];
    const look = earlier.length > 0 ? pick(earlier) : await see(who, id);
    if (look === null) return null;
    // Sometimes they first send the version of another request that they saw, which is rejected, and then the right one.
    const other = once(2) ? world.seen.find((seen) => seen.id !== look.id) : undefined;
    world.seen.push(look);
    if (command === 'approve') noteApproval(world, look);
    const undoable = once(2);
    const over = await findOver(world, look.id);
    // Most people give a reason for exceeding the contract limit.
    const isBare = command === 'approve' && once(over > 0 ? 3 : 2);
    const reason = isBare ? {} : { reason: 'The birth was early' };
    return async () => {
      const answerFor = ({ version, account_seen }: SeenRequest) => {
        const account = command === 'approve' ? { account_seen, undoable } : {};
        return who.post(`/api/disbursements/${look.id}/${command}`, { version, ...account, ...reason });
      };
      const early = other === undefined ? undefined : (await answerFor(other)).status;
      assert.notEqual(early, 200, `request ${look.id} is decided with the version of another one`);
      if (early === 503) return early;
      const answer = await answerFor(look);
      if (answer.status !== 200) return answer.status;
      assert.equal(termsOf(answer), look.terms, 'the decision is about what was seen');
      const isExplained = over === 0 || 'reason' in reason || !world.isAlone();
      assert.ok(isExplained, `request ${look.id} exceeds its contract limit by ${over} cents without a reason`);
      return answer.status;
    };
  };
}

async function undoApproval(world: MoneyWorld): Promise<Send | null> {
  const id = await pickRequest(world, ['approved']);
  if (id === null) return null;
  const who = await approverOf(world, id);
  return async () => (await who.post(`/api/disbursements/${id}/undo-approval`)).status;
}

async function see(who: Client, id: number): Promise<SeenRequest | null> {
  const answer = await who.get(`/api/disbursements/${id}`);
  if (answer.status !== 200) return null;
  const { version, payee_account } = answer.body;
  return { id, version, account_seen: payee_account?.version, terms: termsOf(answer) };
}

function termsOf({ body: { amount_cents, payee, category, description } }: Answer): string {
  return [amount_cents, payee.user_id, category, description].join('|');
}

function noteApproval({ approved }: MoneyWorld, { id, terms }: Pick<SeenRequest, 'id' | 'terms'>): void {
  approved.set(id, (approved.get(id) ?? new Set()).add(terms));
}

/** The amount by which a request exceeds its contract limit. */
async function findOver({ pool }: MoneyWorld, id: number): Promise<number> {
  const { rows } = await pool.query(
    `select case_id, category, submitted_at from disbursement_request where id = $1 and status = 'submitted'`,
    [id],
  );
  const [request] = rows;
  if (request === undefined) return 0;
  const benefits = await readBenefits(pool, request.case_id, request.submitted_at);
  const own = benefits.find(({ category }) => category.toLowerCase() === request.category.toLowerCase());
  // The held amount already includes the request.
  return own === undefined ? 0 : Math.max(own.used_cents + own.held_cents - own.cap_cents, 0);
}

/** Fills in a form on the staff application's page of a request as it is shown. */
async function byStaff(world: MoneyWorld, id: number, command: string, may = ['root', 'escrow']): Promise<Send> {
  const who = world.who(world.staff, may);
  const path = `/disbursements/${id}`;
  const page = await who.get(path);
  // Nothing else happens while the page is open.
  const { rows } = await world.pool.query<{ terms: string }>(
    `select ${TERMS} as terms from disbursement_request d where id = $1`,
    [id],
  );
  if (command === 'approve') noteApproval(world, { id, terms: rows[0]?.terms ?? '' });
  return () => world.fill(who, page, `${path}/${command}`, { reason: 'Not covered' });
}

async function payAgain(world: MoneyWorld): Promise<Send | null> {
  const id = await pickRequest(world, ['returned']);
  return id === null ? null : byStaff(world, id, world.once(4) ? 'end' : 'retry', ['escrow']);
}

/** Usually the person who wrote the request. */
function makerOf(world: MoneyWorld, id: number): Promise<Client> {
  return personOf(world, id, 'created_by', 5);
}

/** Usually the person who is to decide about it. */
function approverOf(world: MoneyWorld, id: number): Promise<Client> {
  return personOf(world, id, 'approver_id', 4);
}

/** The person in a column of a request, but at random someone else once in `times` calls. */
async function personOf(
  { pool, people, once, pick }: MoneyWorld,
  id: number,
  column: 'created_by' | 'approver_id',
  times: number,
): Promise<Client> {
  const [named] = await findIds(pool, `select ${column} as id from disbursement_request where id = $1`, [id]);
  const all = Object.values(people);
  return (once(times) ? undefined : all.find(({ userId }) => userId === named)) ?? pick(all);
}
