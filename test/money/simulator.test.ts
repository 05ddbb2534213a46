import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMMANDS, type Send } from './money-commands.ts';
import { findBroken, findUnseen } from './money-invariants.ts';
import { type MoneyWorld, openMoneyWorld } from './money-world.ts';

/** `npm run chaos -- --money --seed N --steps N` sets these. */
const SEEDS = process.env.MONEY_SEED === undefined ? [1, 2, 3] : [Number(process.env.MONEY_SEED)];
const STEPS = Number(process.env.MONEY_STEPS ?? 150);

for (const seed of SEEDS) {
  test(`[decisions 14] whatever is done with money, in any order, by two at once and through crashes: seed ${seed}`, async (t) => {
    const world = await openMoneyWorld(seed);
    const done = new Map<string, number>();
    for (let step = 0; step < STEPS; step++) {
      if (world.once(40)) await world.pass(world.pick([1, 20, 49, 96]));
      const names = [pickCommand(world), ...(world.once(3) ? [pickCommand(world)] : [])];
      const answers = await take(world, names);
      for (const answer of answers) done.set(answer, (done.get(answer) ?? 0) + 1);
      const where = `seed ${seed}, step ${step}: ${names.join(' and ')}`;
      assert.deepEqual(await findBroken(world.pool), {}, where);
      assert.deepEqual(await findUnseen(world.pool, world.approved), [], `${where}: approved unseen`);
    }
    for (const [answer, times] of [...done].sort()) t.diagnostic(`${answer}: ${times}`);
  });
}

/** Sends commands at the same time, on connections of which one may break; whoever was not answered may ask again. */
async function take(world: MoneyWorld, names: string[]): Promise<string[]> {
  const { crashing, once, random } = world;
  const sends: { name: string; send: Send }[] = [];
  for (const name of names) {
    const send = await COMMANDS[name]?.prepare(world);
    if (send) sends.push({ name, send });
  }
  if (once(5)) crashing.crashAfter(random(12), once(2));
  const statuses = await Promise.all(sends.map(({ send }) => send()));
  const hasCrashed = crashing.calm();
  for (const [at, { name, send }] of sends.entries()) {
    const status = statuses[at] ?? 0;
    assert.ok(status < 500 || (hasCrashed && status === 503), `${name}: ${status}`);
    if (status === 503 && once(2)) assert.ok((await send()) < 500, `${name}, sent again`);
  }
  return sends.map(({ name }, at) => `${name} ${statuses[at]}`);
}

function pickCommand({ random }: MoneyWorld): string {
  const all = Object.entries(COMMANDS);
  let left = random(all.reduce((sum, [, { weight }]) => sum + weight, 0));
  for (const [name, { weight }] of all) {
    left -= weight;
    if (left < 0) return name;
  }
  return all[0]?.[0] ?? '';
}
