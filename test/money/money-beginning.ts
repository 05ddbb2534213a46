import assert from 'node:assert/strict';
import { readReturns, releaseBatch, step } from '../admin/batches/batches-desk.ts';
import { CASE_1 } from '../support/cast.ts';
import { bringTo } from '../support/money.ts';
import { returnFile } from '../support/return-file.ts';
import { findIds, type MoneyWorld, TERMS } from './money-world.ts';

/**
 * Prepares the world with the same calls and forms, because a short history would otherwise see little of the later states: a
 * calendar, a contract limit below the requested amounts, a case with less money than is requested, and two batches, one paid and
 * one at the bank, that each have a returned payment.
 */
export async function beginHistory(world: MoneyWorld): Promise<void> {
  const { api, approved, people, pool, staff } = world;
  const maker = people.surrogate;
  const ask = (status: 'submitted' | 'approved', amount_cents: number, category: string, more = {}) =>
    bringTo(api, { maker, checker: people.parent }, status, { amount_cents, category, ...more });
  const money = `/cases/${CASE_1}/money`;
  const due_date = new Date(world.now().getTime() + 10 * 86_400_000).toISOString().slice(0, 10);
  const planned = { category: 'Monthly allowance', description: '', amount: '40.00', due_date, payee_id: '' };
  const plan = await staff.root.fill(await staff.root.get(money), `/cases/${CASE_1}/scheduled-payments`, planned);
  assert.equal(plan.status, 303, plan.text.slice(0, 500));
  const [scheduled_payment_id] = await findIds(pool, 'select max(id) as id from scheduled_payment');
  const ids: number[] = [];
  for (const amount_cents of [99, 40_00, 50_00, 60_00, 7_00])
    ids.push(await ask('approved', amount_cents, 'Monthly allowance', amount_cents === 40_00 ? { scheduled_payment_id } : {}));
  const { rows } = await pool.query<{ id: string; terms: string }>(
    `select d.id, ${TERMS} as terms from disbursement_request d where d.status = 'approved'`,
  );
  for (const { id, terms } of rows) approved.set(Number(id), new Set([terms]));
  const settled = await releaseBatch(staff.root, staff.finance, ids.slice(0, 2));
  const transmitted = await releaseBatch(staff.finance, staff.root, ids.slice(2));
  const accepted = { outcome: 'accepted', note: 'Confirmation 1' };
  await step(staff.finance, settled, 'outcome', accepted);
  await step(staff.root, transmitted, 'outcome', accepted);
  await step(staff.finance, settled, 'settle', { before_bank_date: 'yes' });
  const { rows: back } = await pool.query<{ trace_number: string; amount_cents: string }>(
    'select distinct on (batch_id) trace_number, amount_cents from banking_batch_entry order by batch_id, id',
  );
  const entries = back.map(({ trace_number, amount_cents }) => {
    return { code: 'R01', trace: trace_number, cents: Number(amount_cents), corrected: '' };
  });
  const read = await readReturns(staff.root, staff.finance, returnFile(entries));
  assert.equal(read.status, 200, read.text.slice(0, 500));
  const benefits = `/cases/${CASE_1}/benefits/change`;
  await staff.root.post(benefits, { category: 'Travel', cap: '1.00', period: 'case', note: '' });
  for (const amount_cents of [300_00, 450_00, 20_00]) await ask('submitted', amount_cents, 'Travel');
  // Each is covered as long as the other one is not approved.
  for (const amount_cents of [6_000_00, 6_100_00]) await ask('submitted', amount_cents, 'Medical');
}
