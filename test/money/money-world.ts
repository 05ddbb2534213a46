import assert from 'node:assert/strict';
import type { ProcessRole } from '@case-platform/db/access';
import pg from 'pg';
import { BANK } from '../admin/batches/batches-desk.ts';
import { type Page, startAdmin, type Visitor } from '../admin/start-admin.ts';
import { CASE_1, CASE_2, CAST } from '../support/cast.ts';
import { createTestDatabase, serverUrl, TEMPLATE, type TestDatabase } from '../support/database.ts';
import { grant } from '../support/grant.ts';
import { fundCase } from '../support/money.ts';
import { createDice } from '../support/odd-requests.ts';
import { type Answer, type Client, startApi } from '../support/platform.ts';
import { createCrashes } from './crashing-database.ts';

const STAFF = ['root', 'finance', 'escrow', 'viewer'] as const;
/** The last two are one person with two records, alone on the second case. */
const PEOPLE = ['surrogate', 'parent', 'parent2', 'manager', 'owner', 'rep', 'bothSurrogate', 'bothParent'] as const;
/** What staff have and lose while it goes on. */
const PERMISSIONS = [
  ...['make_payments', 'create_nacha', 'approve_nacha', 'edit_bank_accounts', 'approve_drs', 'edit_drs', 'create_drs'],
  ...['view_drs', 'edit_case_details', 'edit_benefits', 'view_all_cases'],
];
/** A Monday on which people of New York are at work. */
const BEGIN = Date.parse('2026-11-23T16:05:00Z');
const HOUR_MS = 3_600_000;
/** Each process of a small platform: a connection costs more than most of what is asked on it. */
const CONNECTIONS = 6;

/** What a request is about, of `disbursement_request d`. */
export const TERMS = `concat_ws('|', d.amount_cents, d.payee_id, d.category, d.description)`;

/** What somebody saw of a request when they decided. */
export interface SeenRequest {
  id: number;
  version: string;
  terms: string;
}

/** Both applications on one database whose connections break at will, the people with a part in money, and a clock. */
export async function openMoneyWorld(seed: number) {
  const random = createDice(seed);
  const database = await createTestDatabase(TEMPLATE, { connections: CONNECTIONS });
  const setDatabaseClock = await bendClock(database.url);
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
  /** Lets time pass for everybody. People sign in again; the sessions of staff, which take a password, come along, as if just proven. */
  const pass = async (hours: number) => {
    ahead += hours * HOUR_MS;
    await setDatabaseClock(ahead, hours);
    for (const name of PEOPLE) people[name] = await api.as(name);
    reader = await api.as('root');
  };
  await pass(0);
  for (const name of STAFF) staff[name] = await admin.as(name);
  // Two who may do everything with money, so that each finds another one.
  await grant(database.pool, 'finance', 'view_all_cases', 'approve_nacha', 'create_nacha', 'make_payments');
  const bank = await staff.root.post('/batches/bank', BANK);
  assert.equal(bank.status, 303, bank.text.slice(0, 500));
  await Promise.all(PEOPLE.map((name) => putAccount(people[name], '10000000')));
  for (const caseId of [CASE_1, CASE_2]) await fundCase(api, caseId, 10_000_00);
  // The accounts have cooled off.
  await pass(49);

  let together = 0;
  const once = (times: number) => random(times) === 0;
  const pick = <Thing>(things: readonly Thing[]): Thing => {
    assert.ok(things.length > 0);
    return things[random(things.length)] as Thing;
  };
  /** What a form was answered with. What only some of the staff may do is done by nobody else. */
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
    /** Asks the JSON API as somebody of the staff who sees every case at all times. */
    read: (path: string) => reader.get(path),
    /** Gives a permission to somebody of the staff, or takes it away. The first has all of them at all times. */
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
    /** Who does it: three times of four one who may, else anybody. */
    who<Who>(all: Record<string, Who>, may: readonly string[]): Who {
      const names = random(4) === 0 ? Object.keys(all) : may.filter((name) => name in all);
      return (
        Object.entries(all).find(([name]) => name === names[random(names.length)])?.[1] ??
        (Object.values(all)[0] as Who)
      );
    },
    /** One of several. */
    pick,
    /** Whether something happens that does so once in a number of times. */
    once,
    cases: [CASE_1, CASE_2] as const,
    pickCase: () => (once(4) ? CASE_2 : CASE_1),
    payees: PEOPLE.map((name) => ({ user_type: CAST[name].user_type, user_id: people[name].userId })),
    /** Begins a number of commands at the same time. */
    beginTogether(count: number) {
      together = count;
    },
    isAlone: () => together < 2,
    note,
    /** Sends a form of a page by somebody of the staff. */
    async fill(who: Visitor, page: Page, path: string, fields?: Record<string, string>) {
      return note(who, path, await who.fill(page, path, fields));
    },
    /** Sends fields by somebody of the staff, from no page. */
    async post(who: Visitor, path: string, fields: Record<string, string | string[]>) {
      return note(who, path, await who.post(path, fields));
    },
    /** What was seen by those who tried to approve a request: nothing else may ever be approved. */
    approved: new Map<number, Set<string>>(),
    /** Earlier looks at requests, of which most are stale. */
    seen: [] as SeenRequest[],
    /** Papers that state what a case has. */
    proofs: [] as { caseId: number; code: string; madeAt: Date }[],
  };
}

export type MoneyWorld = Awaited<ReturnType<typeof openMoneyWorld>>;

/**
 * Has the ledger and the audit log of a database go by the world's clock, as they go by the machine's elsewhere.
 * @returns what sets it, in milliseconds ahead of the machine's, and takes the sessions of staff along for some hours.
 */
async function bendClock(url: string): Promise<(ahead: number, hours: number) => Promise<void>> {
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
    // It is told the moment by those who write it.
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

/** The permissions of which one is needed to send a form to a path. */
function guardOf({ guardedRoutes }: { guardedRoutes: { method: string; url: string; guard: string }[] }, path: string) {
  const fits = (url: string) => new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`).test(path);
  // An address that stands there as it is comes before one with a number in it.
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

/** Gives the account that somebody is paid to, who has just signed in. */
export function putAccount(who: Client, account_number: string): Promise<Answer> {
  const account = { holder_name: 'Sam Doe', routing_number: '021000021', account_kind: 'checking', account_number };
  const body = JSON.stringify(account);
  return who.call('PUT', '/api/user/me/bank-account', { body, headers: { 'content-type': 'application/json' } });
}

/** Numbers that a statement finds. */
export async function findIds(pool: pg.Pool, statement: string, values: unknown[] = []): Promise<number[]> {
  const { rows } = await pool.query<{ id: string }>(statement, values);
  return rows.map(({ id }) => Number(id));
}
