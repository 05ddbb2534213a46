import { takeIn } from '../../admin/batches/batches-desk.ts';
import { returnFile } from '../../support/return-file.ts';
import { findIds, type MoneyWorld, putAccount } from '../money-world.ts';
import { type Command, findOffered, PAYERS, type Send } from './command.ts';

/** Commands about returns and corrections of the bank, and about payees' accounts. */
export const RETURNS: Record<string, Command> = {
  'give a bank account': { weight: 1, prepare: giveAccount },
  'read a return file in': { weight: 10, prepare: readReturns },
  'decide about a return file': { weight: 14, prepare: decideReturns },
  'use the bank’s correction': { weight: 1, prepare: takeCorrection },
};

async function giveAccount({ people, pick, random }: MoneyWorld): Promise<Send> {
  const who = pick(Object.values(people));
  const account_number = String(10_000_000 + random(3));
  return async () => (await putAccount(who, account_number)).status;
}

/** Uploads returns before or after settling, sometimes with an amount that differs from the entry's. */
async function readReturns(world: MoneyWorld): Promise<Send | null> {
  const { staff, pool, pick, once, random } = world;
  const { rows } = await pool.query(
    `select e.trace_number, e.amount_cents from banking_batch_entry e join banking_batch b on b.id = e.batch_id
      where e.trace_number is not null and b.status in ('outcome_unknown', 'transmitted', 'settled')
      order by e.id desc limit 8`,
  );
  const who = world.who(staff, PAYERS);
  const returned = rows
    .filter(() => once(2))
    .slice(0, 3)
    .map(({ trace_number, amount_cents }) => ({
      code: pick(['R01', 'R01', 'R01', 'R02', 'R03', 'C01']),
      trace: String(trace_number),
      cents: Number(amount_cents) + (once(8) ? 1 : 0),
      corrected: String(20_000_000 + random(3)),
    }))
    .map((one) => (one.code.startsWith('C') ? one : { ...one, corrected: '' }));
  if (returned.length === 0) return null;
  return async () => world.note(who, '/batches/returns', await takeIn(who, returnFile(returned)));
}

async function decideReturns(world: MoneyWorld): Promise<Send | null> {
  const { pool, pick, once } = world;
  const files = await findIds(pool, `select id from bank_return_file where status = 'waiting'`);
  if (files.length === 0) return null;
  const path = `/batches/returns/${pick(files)}`;
  const name = once(5) ? 'refuse' : 'confirm';
  const { who, page } = await findOffered(world, path, [name]);
  return () => world.fill(who, page, `${path}/${name}`, { reason: 'Not from our bank' });
}

async function takeCorrection(world: MoneyWorld): Promise<Send | null> {
  const { staff, pool, pick } = world;
  const corrected = await findIds(
    pool,
    'select user_id as id from payee_bank_account where replaced_at is null and correction is not null',
  );
  if (corrected.length === 0) return null;
  const path = `/bank-accounts/${pick(corrected)}`;
  const who = world.who(staff, ['root']);
  const page = await who.get(path);
  return () => world.fill(who, page, `${path}/correction`);
}
