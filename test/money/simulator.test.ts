import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginHistory } from './money-beginning.ts';
import { prepareCommand, takeCommands } from './money-commands.ts';
import { checkFigures } from './money-figures.ts';
import { findBroken, findUnseen } from './money-invariants.ts';
import { openMoneyWorld } from './money-world.ts';

/** `npm run chaos -- --money --seed N --steps N` sets these. */
const SEEDS = process.env.MONEY_SEED === undefined ? [1, 2] : [Number(process.env.MONEY_SEED)];
const STEPS = Number(process.env.MONEY_STEPS ?? 100);
/** A step takes a tenth of a second on an idle machine. */
const WITHIN_MS = 60_000 + STEPS * 2_000;
/** Pauses in hours: within a day, longer than an account cools off, and over a month. */
const PAUSES = [1, 8, 20, 49, 96, 24 * 35];

for (const seed of SEEDS) {
  test(`[LEDGER-3] the rules about money hold after any sequence of commands, simultaneous ones and crashes included: seed ${seed}`, {
    timeout: WITHIN_MS,
  }, async (t) => {
    const world = await openMoneyWorld(seed);
    await beginHistory(world);
    const counts = new Map<string, number>();
    for (let step = 0; step < STEPS; step++) {
      if (world.once(40)) await world.pass(world.pick(PAUSES));
      if (world.once(15)) await world.changePermission();
      const commands = [await prepareCommand(world), ...(world.once(3) ? [await prepareCommand(world)] : [])];
      const where = `seed ${seed}, step ${step}: ${commands.map(({ name }) => name).join(' and ')}`;
      try {
        const answers = await takeCommands(world, commands);
        for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
        // Rejected commands change nothing. If one did, the next check would find it, and the last step always has one.
        if (answers.every((answer) => / 4\d\d$/.test(answer)) && step < STEPS - 1) continue;
        assert.deepEqual(await findBroken(world.pool), {});
        assert.deepEqual(await findUnseen(world.pool, world.approved), [], 'approved unseen');
        if (world.once(2)) await checkFigures(world);
      } catch (error) {
        throw new Error(where, { cause: error });
      }
    }
    for (const [answer, times] of [...counts].sort()) t.diagnostic(`${answer}: ${times}`);
    const { rows } = await world.pool.query('select kind, count(*) as times from ledger_transaction group by 1 order by 1');
    for (const { kind, times } of rows) t.diagnostic(`in the ledger, ${kind}: ${times}`);
  });
}
