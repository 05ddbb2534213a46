import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { UserType } from '@case-platform/words/user-types';
import { AGENCIES, CASE_PLANS, FERNHILL, SPECIALISTS } from './case-plans.ts';
import { insertNumbered, insertRows } from './insert.ts';
import { ago } from './moments.ts';

export interface Person {
  id: number;
  user_type: UserType;
}

/** Finds people and agencies of the demo by name. @throws for an unknown name. */
export interface People {
  of(name: string): Person;
  agency(name: string): number;
}

interface NewPerson {
  name: string;
  type: UserType;
  /** The host of the address: a private one, or an office's. All are example domains (RFC 2606, DEMO-3). */
  host: string;
  agency?: string;
  since: number;
}

/** The days since which the people of the README have been there. */
const CAST_SINCE = 600;

/**
 * Adds the people whom the demo's cases need in addition to the README's. They have no password, so no one can sign in as them.
 */
export async function seedPeople(tx: Transaction): Promise<People> {
  await query(tx, sql`update user_account set created_at = ${ago(CAST_SINCE)}`);
  await query(
    tx,
    sql`update user_account set phone = '+1312555' || lpad((id + 300)::text, 4, '0') where phone is null and user_type <> 'admin'`,
  );
  await query(tx, sql`update agency set created_at = ${ago(CAST_SINCE)}`);
  await query(tx, sql`update admin_role set created_at = ${ago(CAST_SINCE)}, updated_at = ${ago(CAST_SINCE)}`);
  const names = Object.keys(AGENCIES).filter((name) => name !== FERNHILL);
  await insertRows(
    tx,
    'agency',
    names.map((name) => ({ name, created_at: ago(CAST_SINCE) })),
  );
  const agencies = await query<{ id: number; name: string }>(tx, sql`select id, name from agency`);
  const agency = (name: string) => requireNamed(agencies.find((one) => one.name === name)?.id, name);
  const [role] = await query<{ id: number }>(tx, sql`select id from admin_role where name = 'Escrow Specialist'`);
  const existing = await listPeople(tx);
  const added = listNewPeople().filter(({ name }) => !existing.has(name));
  await insertNumbered(
    tx,
    'user_account',
    added.map(({ name, type, host, agency: office, since }, at) => {
      const [first_name = '', last_name = ''] = name.split(' ');
      return {
        first_name,
        last_name,
        user_type: type,
        created_at: ago(since),
        updated_at: ago(since),
        email_address: `${first_name}.${last_name}@${host}`.toLowerCase(),
        phone: type === 'admin' ? null : `+1312555${String(100 + at).padStart(4, '0')}`,
        agency_id: office === undefined ? null : agency(office),
        admin_role_id: type === 'admin' ? (role?.id ?? null) : null,
      };
    }),
  );
  const people = await listPeople(tx);
  return { agency, of: (name) => requireNamed(people.get(name), name) };
}

function listNewPeople(): NewPerson[] {
  const staff = SPECIALISTS.map((name) => ({ name, type: 'admin' as const, host: 'staff.example', since: CAST_SINCE }));
  const office = (name: string, type: UserType, agency: string): NewPerson => {
    return { name, type, agency, host: `${agency.split(' ')[0]?.toLowerCase()}.example`, since: CAST_SINCE };
  };
  const owners = Object.entries(AGENCIES).map(([agency, name]) => office(name, 'owner', agency));
  const families = CASE_PLANS.flatMap(({ parents, surrogate, manager, agency, representative, opened }) => {
    const of = (type: UserType, host: string) => (name: string) => ({ name, type, host, since: opened + 1 });
    return [
      ...parents.filter((name) => name !== undefined).map(of('ip', 'family.example')),
      ...[surrogate].filter((name) => name !== null).map(of('surrogate', 'mail.example')),
      ...(representative === undefined ? [] : [of('ip_rep', 'law.example')(representative)]),
      ...(manager === undefined || agency === null ? [] : [office(manager, 'cm', agency)]),
    ];
  });
  const all = [...staff, ...owners, ...families];
  return all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at);
}

async function listPeople(tx: Transaction): Promise<Map<string, Person>> {
  const rows = await query<Person & { name: string }>(
    tx,
    sql`select id, user_type, first_name || ' ' || last_name as name from user_account`,
  );
  return new Map(rows.map(({ name, ...person }) => [name, person]));
}

function requireNamed<Thing>(thing: Thing | undefined, name: string): Thing {
  if (thing === undefined) throw new Error(`the demo has no ${name}`);
  return thing;
}
