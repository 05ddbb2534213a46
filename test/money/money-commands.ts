import assert from 'node:assert/strict';
import { BATCHES } from './commands/batches.ts';
import { CASES } from './commands/cases.ts';
import { CASH } from './commands/cash.ts';
import type { Command, Send } from './commands/command.ts';
import { REQUESTS } from './commands/requests.ts';
import { RETURNS } from './commands/returns.ts';
import type { MoneyWorld } from './money-world.ts';

/** Every command that moves money, plans it, or decides about it, given by people with and without permission. */
const COMMANDS: Record<string, Command> = { ...CASH, ...REQUESTS, ...BATCHES, ...RETURNS, ...CASES };

/** A command that is ready to be sent. */
interface PreparedCommand {
  name: string;
  send: Send;
}

/** Prepares a command, chosen by weight among those that have something to do. */
export async function prepareCommand(world: MoneyWorld): Promise<PreparedCommand> {
  for (;;) {
    const name = pickName(world);
    const send = await COMMANDS[name]?.prepare(world);
    if (send) return { name, send };
  }
}

function pickName({ random }: MoneyWorld): string {
  const all = Object.entries(COMMANDS);
  let remaining = random(all.reduce((sum, [, { weight }]) => sum + weight, 0));
  for (const [name, { weight }] of all) {
    remaining -= weight;
    if (remaining < 0) return name;
  }
  return all[0]?.[0] ?? '';
}

/**
 * Sends commands at the same time, some of them twice, while a connection may break. A command without an answer may be sent
 * again.
 * @returns each command with its status.
 */
export async function takeCommands(world: MoneyWorld, commands: readonly PreparedCommand[]): Promise<string[]> {
  const { crashes, once, random } = world;
  const sends = commands.flatMap((command) => (once(8) ? [command, command] : [command]));
  world.beginTogether(sends.length);
  if (once(5)) crashes.crashAfter(random(12), once(2));
  const statuses = await Promise.all(sends.map(({ send }) => send()));
  const hasCrashed = crashes.calm();
  // A command that is sent again may have been done already.
  world.beginTogether(2);
  for (const [at, { name, send }] of sends.entries()) {
    const status = statuses[at] ?? 0;
    assert.ok(status < 500 || (hasCrashed && status === 503), `${name}: ${status}`);
    if (status === 503 && once(2)) assert.ok((await send()) < 500, `${name}, sent again`);
  }
  return sends.map(({ name }, at) => `${name} ${statuses[at]}`);
}
