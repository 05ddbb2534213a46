import type { MoneyWorld } from '../money-world.ts';
import { AMOUNTS, type Command, dollars, PAYERS, type Send } from './command.ts';

/** Commands for deposits and refunds. */
export const CASH: Record<string, Command> = {
  'deposit or refund': { weight: 3, prepare: recordCash },
  'decide about a deposit': { weight: 5, prepare: decideCash },
};

async function recordCash(world: MoneyWorld): Promise<Send> {
  const { staff, pick, once } = world;
  const who = world.who(staff, PAYERS);
  const path = `/cases/${world.pickCase()}/money`;
  const page = await who.get(path);
  const fields = { kind: once(5) ? 'refund' : 'deposit', amount: dollars(pick(AMOUNTS)), memo: 'Wire' };
  return () => world.fill(who, page, path, fields);
}

async function decideCash(world: MoneyWorld): Promise<Send | null> {
  const { staff, pick, once } = world;
  const who = world.who(staff, PAYERS);
  const page = await who.get(`/cases/${world.pickCase()}/money`);
  const paths = [...page.text.matchAll(/action="([^"]+\/money\/\d+\/(?:confirm|refuse))"/g)].map(([, path = '']) => path);
  if (paths.length === 0) return null;
  const path = pick(paths.filter((one) => one.endsWith('confirm') || once(4)).concat(paths[0] as string));
  return () => world.fill(who, page, path, { reason: 'Not ours' });
}
