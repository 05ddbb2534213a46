import assert from 'node:assert/strict';
import type pg from 'pg';
import { BANK } from '../admin/batches/batches-desk.ts';
import { startAdmin, type Visitor } from '../admin/start-admin.ts';
import { CASE_1, DEMO_PASSWORD } from '../support/cast.ts';
import { createTestDatabase } from '../support/database.ts';
import { grant } from '../support/grant.ts';
import { createDice } from '../support/odd-requests.ts';
import { type Answer, type Client, startApi } from '../support/platform.ts';
import { createCrashingDatabase } from './crashing-database.ts';

const STAFF = ['root', 'finance', 'escrow', 'viewer'] as const;
const PEOPLE = ['surrogate', 'parent', 'parent2', 'manager', 'owner', 'rep'] as const;
/** A Monday on which people of New York are at work. */
const BEGIN = Date.parse('2026-11-23T16:05:00Z');

/** What somebody saw of a request when they decided. */
export interface SeenRequest {
  id: number;
  version: string;
  amount_cents: number;
}

/** Both applications on one database whose connections break at will, the people with a part in money, and a clock. */
export async function openMoneyWorld(seed: number) {
  const random = createDice(seed);
  const database = await createTestDatabase();
  const crashing = createCrashingDatabase(database.pool);
  let clock = BEGIN;
  const now = () => new Date(clock);
  const api = await startApi({ now, database: { ...database, db: crashing.db } });
  const admin = await startAdmin({ now, database: { ...database, db: crashing.db }, storage: api.storage });

  const people = {} as Record<(typeof PEOPLE)[number], Client>;
  const staff = {} as Record<(typeof STAFF)[number], Visitor>;
  const signIn = async () => {
    for (const name of PEOPLE) people[name] = await api.as(name);
    for (const name of STAFF) staff[name] = await admin.as(name);
  };
  await signIn();
  // Two who may do everything with money, so that each finds another one.
  await grant(database.pool, 'finance', 'view_all_cases', 'approve_nacha', 'create_nacha', 'make_payments');
  const bank = await staff.root.post('/batches/bank', BANK);
  assert.equal(bank.status, 303, bank.text.slice(0, 500));

  await Promise.all(Object.values(people).map((who) => putAccount(who, '10000000')));
  // They have cooled off.
  clock += 49 * 3_600_000;
  await signIn();

  return {
    random,
    pool: database.pool,
    crashing,
    people,
    staff,
    now,
    /** Lets time pass. Whoever was signed in signs in again. */
    async pass(hours: number) {
      clock += hours * 3_600_000;
      await signIn();
    },
    /** Who does it: three times of four one who may, else anybody. */
    who<Who>(all: Record<string, Who>, may: readonly string[]): Who {
      const names = random(4) === 0 ? Object.keys(all) : may.filter((name) => name in all);
      return (
        Object.entries(all).find(([name]) => name === names[random(names.length)])?.[1] ??
        (Object.values(all)[0] as Who)
      );
    },
    /** One of several. */
    pick: <Thing>(things: readonly Thing[]): Thing => {
      assert.ok(things.length > 0);
      return things[random(things.length)] as Thing;
    },
    /** Whether something happens that does so once in a number of times. */
    once: (times: number) => random(times) === 0,
    caseId: CASE_1,
    /** What was seen by those who tried to approve a request: nothing else may ever be approved. */
    approved: new Map<number, Set<number>>(),
    /** Earlier looks at requests, of which most are stale. */
    seen: [] as SeenRequest[],
  };
}

export type MoneyWorld = Awaited<ReturnType<typeof openMoneyWorld>>;

/** Gives the account that somebody is paid to. */
export function putAccount(who: Client, account_number: string): Promise<Answer> {
  const account = { holder_name: 'Sam Doe', routing_number: '021000021', account_kind: 'checking', account_number };
  const body = JSON.stringify({ pass_hash: DEMO_PASSWORD, ...account });
  return who.call('PUT', '/api/user/me/bank-account', { body, headers: { 'content-type': 'application/json' } });
}

/** Numbers that a statement finds. */
export async function findIds(pool: pg.Pool, statement: string, values: unknown[] = []): Promise<number[]> {
  const { rows } = await pool.query<{ id: string }>(statement, values);
  return rows.map(({ id }) => Number(id));
}
