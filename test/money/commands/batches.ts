import assert from 'node:assert/strict';
import type { MoneyWorld } from '../money-world.ts';
import { findIds } from '../money-world.ts';
import { type Command, PAYERS, type Send } from './command.ts';

/** From approved requests to money that was paid. */
export const BATCHES: Record<string, Command> = {
  'gather a batch': { weight: 7, prepare: gather },
  'step of a batch': { weight: 44, prepare: stepOfBatch },
};

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
  return () => world.post(who, '/batches', { disbursement_ids: ids.map(String) });
}

const STEPS = ['approve', 'generate', 'sign', 'hand-out', 'outcome', 'settle', 'remove', 'cancel'];
/** Seldom: a batch that is taken apart pays nobody. */
const UNDOING = ['remove', 'cancel'];

/** A button of a batch's page as somebody of the staff sees it, or one that they do not have. */
async function stepOfBatch(world: MoneyWorld): Promise<Send | null> {
  const { pool, staff, pick, once } = world;
  const batches = await findIds(
    pool,
    `select id from banking_batch where status <> 'cancelled' order by (status = 'settled'), id desc limit 4`,
  );
  if (batches.length === 0) return null;
  const path = `/batches/${pick(batches)}`;
  const pages = await Promise.all(Object.values(staff).map(async (who) => ({ who, page: await who.get(path) })));
  const isAny = once(8);
  const buttons = pages.flatMap((seen) =>
    STEPS.filter((name) => isAny || seen.page.text.includes(`action="${path}/${name}"`)).map((name) => ({
      ...seen,
      name,
    })),
  );
  if (buttons.length === 0) return null;
  const isUndoing = once(10);
  const fitting = buttons.filter(({ name }) => UNDOING.includes(name) === isUndoing);
  const { who, page, name } = pick(fitting.length === 0 ? buttons : fitting);
  const fields = {
    outcome: once(5) ? 'refused' : 'accepted',
    note: 'Confirmation 1',
    reason: 'Not today',
    disbursement_id: String(pick([...(await entriesOf(world, path)), 0])),
    ...(once(5) ? {} : { before_bank_date: 'yes' }),
  };
  const isShown = page.text.includes(`action="${path}/${name}"`);
  return async () => {
    const status = await world.fill(who, page, `${path}/${name}`, fields);
    // Whoever alone presses what they are shown, and says all that it takes, is not told that it is too late.
    const works = isShown && name === 'settle' && 'before_bank_date' in fields && world.isAlone();
    assert.ok(!works || status !== 409, `${path} cannot be settled`);
    return status;
  };
}

function entriesOf({ pool }: MoneyWorld, path: string): Promise<number[]> {
  return findIds(pool, 'select disbursement_id as id from banking_batch_entry where batch_id = $1', [
    Number(path.split('/')[2]),
  ]);
}
