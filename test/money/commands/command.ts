import type { Visitor } from '../../admin/start-admin.ts';
import { findIds, type MoneyWorld } from '../money-world.ts';

/** Sends a prepared command, and can send the same one again. Returns the status of the answer. */
export type Send = () => Promise<number>;

/** Chooses who gives a command and what it is about; null when there is nothing that it could be about. */
export type Prepare = (world: MoneyWorld) => Promise<Send | null>;

export interface Command {
  /** How often it is chosen, relative to the others. */
  weight: number;
  prepare: Prepare;
}

export const AMOUNTS = [1, 99, 300_00, 4_500_00, 12_345_67, 9_999_999_999];
export const CATEGORIES = ['Travel', 'Medical', 'Monthly allowance'];
/** The staff who usually record, batch, and pay. */
export const PAYERS = ['root', 'finance'];

/**
 * Opens a page as a member of the staff, usually one who has some of its buttons. Two people take turns with money, because the
 * person who took the last step seldom takes the next one.
 */
export async function findOffered({ staff, pick, once }: MoneyWorld, path: string, names: readonly string[]) {
  const look = async (who: Visitor) => {
    const page = await who.get(path);
    return { who, page, offered: names.filter((name) => page.text.includes(`action="${path}/${name}"`)) };
  };
  const [first, second] = once(2) ? [staff.root, staff.finance] : [staff.finance, staff.root];
  const opened = await look(once(6) ? pick(Object.values(staff)) : first);
  return opened.offered.length > 0 || opened.who !== first ? opened : look(second);
}

/** Picks a request, usually one in a state that the command is for. */
export async function pickRequest({ pool, pick, once }: MoneyWorld, statuses: string[]): Promise<number | null> {
  const isAny = once(6);
  const ids = await findIds(pool, 'select id from disbursement_request where $1 or status = any($2) order by id desc limit 12', [
    isAny,
    statuses,
  ]);
  return ids.length === 0 ? null : pick(ids);
}

export function dollars(amount_cents: number): string {
  return (amount_cents / 100).toFixed(2);
}
