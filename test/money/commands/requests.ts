import assert from 'node:assert/strict';
import type { Answer, Client } from '../../support/platform.ts';
import { readBenefits } from '../money-figures.ts';
import { findIds, type MoneyWorld, type SeenRequest, TERMS } from '../money-world.ts';
import { AMOUNTS, CATEGORIES, type Command, type Prepare, pickRequest, type Send } from './command.ts';

/** What is asked for, and decided about. */
export const REQUESTS: Record<string, Command> = {
  'write a request': { weight: 9, prepare: write },
  'change a request': { weight: 4, prepare: change },
  'send a request': { weight: 14, prepare: moveRequest('submit', ['draft']) },
  'cancel a request': { weight: 1, prepare: moveRequest('cancel', ['draft', 'submitted']) },
  'approve a request': { weight: 24, prepare: decide('approve') },
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
  // Whoever decides may have looked at it before, and decide as they saw it.
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

/** As one sees the request, or as somebody saw it once. What is approved is what was seen. */
function decide(command: 'approve' | 'deny'): Prepare {
  return async (world) => {
    const { once, pick } = world;
    const id = await pickRequest(world, ['submitted']);
    if (id === null) return null;
    if (once(6)) return byStaff(world, id, command);
    // Whoever asks tries it themselves now and then.
    const who = await (once(5) ? makerOf(world, id) : approverOf(world, id));
    const earlier = once(4) ? world.seen.filter((seen) => seen.id === id) : once(12) ? world.seen : [];
    const look = earlier.length > 0 ? pick(earlier) : await see(who, id);
    if (look === null) return null;
    // Now and then they answer for another request that they looked at first, are refused, and then for this one.
    const other = once(2) ? world.seen.find((seen) => seen.id !== look.id) : undefined;
    world.seen.push(look);
    if (command === 'approve') noteApproval(world, look);
    const over = await findOver(world, look.id);
    // Over what the contract allows, most say why.
    const isBare = command === 'approve' && once(over > 0 ? 3 : 2);
    const reason = isBare ? {} : { reason: 'The birth was early' };
    return async () => {
      const answerFor = ({ version }: SeenRequest) =>
        who.post(`/api/disbursements/${look.id}/${command}`, { version, ...reason });
      const early = other === undefined ? undefined : (await answerFor(other)).status;
      assert.notEqual(early, 200, `request ${look.id} is decided by whoever has seen another one`);
      if (early === 503) return early;
      const answer = await answerFor(look);
      if (answer.status !== 200) return answer.status;
      assert.equal(termsOf(answer), look.terms, 'what was seen is decided');
      const isExplained = over === 0 || 'reason' in reason || !world.isAlone();
      assert.ok(isExplained, `request ${look.id} goes ${over} cents over its benefit, and nobody says why`);
      return answer.status;
    };
  };
}

async function see(who: Client, id: number): Promise<SeenRequest | null> {
  const answer = await who.get(`/api/disbursements/${id}`);
  return answer.status === 200 ? { id, version: answer.body.version, terms: termsOf(answer) } : null;
}

function termsOf({ body: { amount_cents, payee, category, description } }: Answer): string {
  return [amount_cents, payee.user_id, category, description].join('|');
}

function noteApproval({ approved }: MoneyWorld, { id, terms }: Pick<SeenRequest, 'id' | 'terms'>): void {
  approved.set(id, (approved.get(id) ?? new Set()).add(terms));
}

/** By how much a request goes over what the contract allows. */
async function findOver({ pool }: MoneyWorld, id: number): Promise<number> {
  const { rows } = await pool.query(
    `select case_id, category, submitted_at from disbursement_request where id = $1 and status = 'submitted'`,
    [id],
  );
  const [request] = rows;
  if (request === undefined) return 0;
  const benefits = await readBenefits(pool, request.case_id, request.submitted_at);
  const own = benefits.find(({ category }) => category.toLowerCase() === request.category.toLowerCase());
  // What it takes itself is among what is held.
  return own === undefined ? 0 : Math.max(own.used_cents + own.held_cents - own.cap_cents, 0);
}

/** A form of the staff application's page of a request, filled in as it is shown. */
async function byStaff(world: MoneyWorld, id: number, command: string, may = ['root', 'escrow']): Promise<Send> {
  const who = world.who(world.staff, may);
  const path = `/disbursements/${id}`;
  const page = await who.get(path);
  // Nothing else happens while the page is looked at.
  const { rows } = await world.pool.query<{ terms: string }>(
    `select ${TERMS} as terms from disbursement_request d where id = $1`,
    [id],
  );
  if (command === 'approve') noteApproval(world, { id, terms: rows[0]?.terms ?? '' });
  return () => world.fill(who, page, `${path}/${command}`, { reason: 'Not covered' });
}

async function payAgain(world: MoneyWorld): Promise<Send | null> {
  const id = await pickRequest(world, ['returned']);
  return id === null ? null : byStaff(world, id, 'retry', ['escrow']);
}

/** Mostly who wrote a request. */
function makerOf(world: MoneyWorld, id: number): Promise<Client> {
  return personOf(world, id, 'created_by', 5);
}

/** Mostly who is to decide about it. */
function approverOf(world: MoneyWorld, id: number): Promise<Client> {
  return personOf(world, id, 'approver_id', 4);
}

/** Whom a request names there, but once in a number of times anybody. */
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
