import assert from 'node:assert/strict';
import type { MoneyWorld } from '../money-world.ts';
import { findIds } from '../money-world.ts';
import { type Command, findOffered, PAYERS, type Send } from './command.ts';

/** Commands from approved requests to paid money. */
export const BATCHES: Record<string, Command> = {
  'gather a batch': { weight: 7, prepare: gather },
  'step of a batch': { weight: 34, prepare: stepOfBatch },
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
  const some = ready.filter(() => !once(3)).slice(0, 6);
  const ids = some.length === 0 ? ready.slice(0, 1) : some;
  return () => world.post(who, '/batches', { disbursement_ids: ids.map(String) });
}

const STEPS = ['approve', 'generate', 'sign', 'hand-out', 'outcome', 'settle', 'unblock', 'remove', 'cancel'];
/** These are rare, because a batch that is taken apart pays no one. */
const UNDOING = ['remove', 'cancel'];

/** Presses a button of a batch's page that the chosen member of the staff sees, or one that they do not have. */
async function stepOfBatch(world: MoneyWorld): Promise<Send | null> {
  const { pool, pick, once } = world;
  const isAny = once(8);
  const batches = await findIds(
    pool,
    `select id from banking_batch where status <> 'cancelled' and ($1 or status <> 'settled') order by id desc limit 4`,
    [isAny],
  );
  if (batches.length === 0) return null;
  const path = `/batches/${pick(batches)}`;
  const { who, page, offered } = await findOffered(world, path, STEPS);
  const isUndoing = once(10);
  const fitting = (isAny ? STEPS : offered).filter((name) => UNDOING.includes(name) === isUndoing);
  if (fitting.length === 0) return null;
  const name = pick(fitting);
  const fields = {
    outcome: once(5) ? 'refused' : 'accepted',
    note: 'Confirmation 1',
    reason: 'Not today',
    disbursement_id: String(pick([...(await entriesOf(world, path)), 0])),
    ...(once(5) ? {} : { before_bank_date: 'yes' }),
  };
  return async () => {
    const status = await world.fill(who, page, `${path}/${name}`, fields);
    if (name === 'hand-out' && status === 303 && world.isAlone())
      assert.deepEqual(await listGonePayees(world, path), [], `${path} pays someone who is gone`);
    // A button that is shown works while no one else acts and every field is filled in.
    const hasToWork = offered.includes(name) && name === 'settle' && 'before_bank_date' in fields && world.isAlone();
    assert.ok(!hasToWork || status !== 409, `${path} cannot be settled`);
    return status;
  };
}

/** Requests of a batch whose payees left their case or were deactivated. Agency owners see theirs without being on them. */
function listGonePayees({ pool }: MoneyWorld, path: string): Promise<number[]> {
  return findIds(
    pool,
    `select d.id from banking_batch_entry e join disbursement_request d on d.id = e.disbursement_id
       join user_account u on u.id = d.payee_id
      where e.batch_id = $1 and e.released_at is null and (u.status <> 'active' or u.user_type <> 'owner' and not exists (
        select from case_participant p where p.case_id = d.case_id and p.user_id = u.id and p.left_at is null))`,
    [Number(path.split('/')[2])],
  );
}

function entriesOf({ pool }: MoneyWorld, path: string): Promise<number[]> {
  return findIds(pool, 'select disbursement_id as id from banking_batch_entry where batch_id = $1', [Number(path.split('/')[2])]);
}
