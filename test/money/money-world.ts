import assert from 'node:assert/strict';
import type { ProcessRole } from '@case-platform/db/access';
import pg from 'pg';
import { BANK } from '../admin/batches/batches-desk.ts';
import { type Page, startAdmin, type Visitor } from '../admin/start-admin.ts';
import { CASE_1, CASE_2, CAST } from '../support/cast.ts';
import { createTestDatabase, serverUrl, TEMPLATE, type TestDatabase } from '../support/database.ts';
import { grant } from '../support/grant.ts';
import { createDice } from '../support/hostile/odd-requests.ts';
import { fundCase } from '../support/money.ts';
import { type Answer, type Client, startApi } from '../support/platform.ts';
import { createCrashes } from './crashing-database.ts';

const STAFF = ['root', 'finance', 'escrow', 'viewer'] as const;
/** The last two are one person with two records, on the second case only. */
const PEOPLE = ['surrogate', 'parent', 'parent2', 'manager', 'owner', 'rep', 'bothSurrogate', 'bothParent'] as const;
/** Permissions that staff gain and lose during a history. */
const PERMISSIONS = [
  'make_payments',
  'create_nacha',
  'approve_nacha',
  'edit_bank_accounts',
  'approve_drs',
  'edit_drs',
  'create_drs',
  'view_drs',
  'edit_case_details',
  'edit_benefits',
  'view_all_cases',
];
/** A Monday during office hours in New York. */
const BEGIN = Date.parse('2026-11-23T16:05:00Z');
const HOUR_MS = 3_600_000;
/** The connections of each process of a small platform. Opening a connection costs more than most queries. */
const CONNECTIONS = 6;

/** The terms of a request, for `disbursement_request d`. */
export const TERMS = `concat_ws('|', d.amount_cents, d.payee_id, d.category, d.description)`;

/** A request as someone saw it when they decided. */
export interface SeenRequest {
  id: number;
  version: string;
  /** The version of the payee's account, if the approver saw one. */
  account_seen: string | undefined;
  terms: string;
}

/** Opens both applications on one database whose connections can break, with the people who handle money, and a clock. */
export async function openMoneyWorld(seed: number) {
  const random = createDice(seed);
  const database = await createTestDatabase(TEMPLATE, { connections: CONNECTIONS });
  const setDatabaseClock = await useWorldClock(database.url);
  const crashes = createCrashes();
  const inRole = (process: ProcessRole): TestDatabase => {
    const own = database.inRole?.(process) ?? database;
    return { ...own, db: crashes.databaseOf(own.pool) };
  };
  let ahead = BEGIN - Date.now();
  const now = () => new Date(Date.now() + ahead);
  const api = await startApi({ now, database: { ...database, inRole } });
  const admin = await startAdmin({ now, database: { ...database, inRole }, storage: api.storage });

  const people = {} as Record<(typeof PEOPLE)[number], Client>;
  let reader = await api.as('root');
  const staff = {} as Record<(typeof STAFF)[number], Visitor>;
  /** Moves the clock. People sign in again; the sessions of staff, which need a password, continue as if it was just entered. */
  const pass = async (hours: number) => {
    ahead += hours * HOUR_MS;
    await setDatabaseClock(ahead, hours);
    for (const name of PEOPLE) people[name] = await api.as(name);
    reader = await api.as('root');
  };
  await pass(0);
  for (const name of STAFF) staff[name] = await admin.as(name);
  // Two people who may do everything with money, so that each has a second person.
  await grant(database.pool, 'finance', 'view_all_cases', 'approve_nacha', 'create_nacha', 'make_payments');
  const bank = await staff.root.post('/batches/bank', BANK);
  assert.equal(bank.status, 303, bank.text.slice(0, 500));
  await Promise.all(PEOPLE.map((name) => putAccount(people[name], '10000000')));
  for (const caseId of [CASE_1, CASE_2]) await fundCase(api, caseId, 10_000_00);
  // After this time the accounts have cooled off.
  await pass(49);

  let together = 0;
  const once = (times: number) => random(times) === 0;
  const pick = <Thing>(things: readonly Thing[]): Thing => {
    assert.ok(things.length > 0);
    return things[random(things.length)] as Thing;
  };
  /** Checks that only staff with the permission succeed, and returns the status of the answer. */
  const note = async (who: Visitor, path: string, { status, location }: Page): Promise<number> => {
    if (status !== 303 || location?.startsWith('/login')) return status;
    const [name] = STAFF.filter((one) => staff[one] === who);
    assert.ok(name === undefined || (await holdsFor(database.pool, name, guardOf(admin, path))), `${name}: ${path}`);
    return status;
  };

  return {
    random,
    pool: database.pool,
    api,
    crashes,
    people,
    staff,
    now,
    pass,
    /** Calls the JSON API as a member of the staff who always sees every case. */
    read: (path: string) => reader.get(path),
    /** Grants or revokes a permission of a member of the staff. The first one always has all of them. */
    async changePermission() {
      const [, ...others] = STAFF;
      const [name, permission] = [pick(others), pick(PERMISSIONS)];
      if (once(3))
        await database.pool.query(
          `delete from admin_role_permission where permission = $2 and admin_role_id =
             (select admin_role_id from user_account where email_address = $1)`,
          [CAST[name].email_address, permission],
        );
      else await grant(database.pool, name, permission);
    },
    /** Picks a person: usually one who may do it, and once in four times anyone. */
    who<Who>(all: Record<string, Who>, may: readonly string[]): Who {
      const names = random(4) === 0 ? Object.keys(all) : may.filter((name) => name in all);
      return Object.entries(all).find(([name]) => name === names[random(names.length)])?.[1] ?? (Object.values(all)[0] as Who);
    },
    pick,
    /** True once in this many calls, on average. */
    once,
    cases: [CASE_1, CASE_2] as const,
    pickCase: () => (once(4) ? CASE_2 : CASE_1),
    payees: PEOPLE.map((name) => ({ user_type: CAST[name].user_type, user_id: people[name].userId })),
    /** Sets the number of commands that start at the same time. */
    beginTogether(count: number) {
      together = count;
    },
    isAlone: () => together < 2,
    note,
    /** Sends a form of a page as a member of the staff. */
    async fill(who: Visitor, page: Page, path: string, fields?: Record<string, string>) {
      return note(who, path, await who.fill(page, path, fields));
    },
    /** Sends fields as a member of the staff without a page. */
    async post(who: Visitor, path: string, fields: Record<string, string | string[]>) {
      return note(who, path, await who.post(path, fields));
    },
    /** The terms that people saw who tried to approve a request. Nothing else may ever be approved. */
    approved: new Map<number, Set<string>>(),
    /** Requests as people saw them earlier; most of these are outdated. */
    seen: [] as SeenRequest[],
    /** Proofs of funds. */
    proofs: [] as { caseId: number; code: string; madeAt: Date }[],
  };
}

export type MoneyWorld = Awaited<ReturnType<typeof openMoneyWorld>>;

/**
 * Makes the ledger and audit log of a database use the world's clock.
 * @returns a function that sets the clock, in milliseconds ahead of the machine's, and moves the sessions of staff by some hours.
 */
async function useWorldClock(url: string): Promise<(ahead: number, hours: number) => Promise<void>> {
  const asOwner = async (...statements: string[]) => {
    const owner = new pg.Client({ connectionString: serverUrl(new URL(url).pathname.slice(1)) });
    await owner.connect();
    for (const statement of statements) await owner.query(statement);
    await owner.end();
  };
  await asOwner(
    `create table world_clock as select 0::bigint as ahead_ms; grant select on world_clock to public;
     create function world_now() returns timestamptz language sql volatile
       as $$ select clock_timestamp() + ahead_ms * interval '1 millisecond' from public.world_clock $$`,
    'alter table ledger_transaction alter created_at set default world_now()',
    // The audit log gets its time from the writer, so a trigger replaces it.
    `create function keep_world_time() returns trigger language plpgsql as $$
       begin new.happened_at := public.world_now(); return new; end $$;
     create trigger keep_world_time before insert on audit_entry for each row execute function keep_world_time()`,
  );
  return (ahead, hours) =>
    asOwner(
      `update world_clock set ahead_ms = ${Math.round(ahead)}`,
      `update admin_session set created_at = created_at + d, last_active_at = last_active_at + d, confirmed_at = world_now()
         from (select make_interval(hours => ${hours})) passed (d)`,
    );
}

/** The permissions of which one is needed to post a form to a path. */
function guardOf({ guardedRoutes }: { guardedRoutes: { method: string; url: string; guard: string }[] }, path: string) {
  const fits = (url: string) => new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);
  // A literal path wins over one with a parameter.
  const routes = guardedRoutes.filter(({ method, url }) => method === 'POST' && fits(url));
  const { guard = '' } = routes.find(({ url }) => url === path) ?? routes[0] ?? {};
  return (/perm_check: ([\w ]+)/.exec(guard)?.[1] ?? '').split(' ');
}

async function holdsFor(pool: pg.Pool, name: (typeof STAFF)[number], permissions: string[]): Promise<boolean> {
  const { rows } = await pool.query(
    `select from admin_role_permission p join user_account u on u.admin_role_id = p.admin_role_id
      where u.email_address = $1 and p.permission = any($2)`,
    [CAST[name].email_address, permissions],
  );
  return rows.length > 0;
}

/** Sets the bank account of a person who has just signed in. */
export function putAccount(who: Client, account_number: string): Promise<Answer> {
  const account = { holder_name: 'Sam Doe', routing_number: '021000021', account_kind: 'checking', account_number };
  const body = JSON.stringify(account);
  return who.call('PUT', '/api/user/me/bank-account', { body, headers: { 'content-type': 'application/json' } });
}

/** Returns the ids that a statement selects. */
export async function findIds(pool: pg.Pool, statement: string, values: unknown[] = []): Promise<number[]> {
  const { rows } = await pool.query<{ id: string }>(statement, values);
  return rows.map(({ id }) => Number(id));
}
