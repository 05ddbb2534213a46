import { createHash } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { hashPassword, STANDARD_ROLES, sealTotpSecret } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import { insertRow, insertRows } from './insert.ts';

/** The people of the demo, matching the table of accounts in the README (DEMO-1). */

const PASSWORD = 'Demo-Passw0rd!';
const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const AGENCY_KEY = 'demo-agency-key-1-0123456789abcdef';

type Person = [name: string, email: string, type: UserType, first: string, last: string, extra?: Partial<Extra>];
interface Extra {
  password: string;
  role: string;
  phone: string;
  two_factor_method: 'email' | 'sms';
}

/** The first word is the name that the rest of the demo uses. All people are invented. */
const PEOPLE: Person[] = [
  ['root', 'root@demo.test', 'admin', 'Ruth', 'Adeyemi', { role: 'Administrator' }],
  ['escrow', 'escrow@demo.test', 'admin', 'Elena', 'Marsh', { role: 'Escrow Specialist' }],
  ['finance', 'finance@demo.test', 'admin', 'Felix', 'Brandt', { role: 'Finance' }],
  ['viewer', 'viewer@demo.test', 'admin', 'Vera', 'Lindqvist', { role: 'Viewer' }],
  ['parent', 'parent@demo.test', 'ip', 'Paige', 'Whitlock'],
  ['parent2', 'parent2@demo.test', 'ip', 'Marcus', 'Whitlock'],
  ['surrogate', 'surrogate@demo.test', 'surrogate', 'Sarah', 'Lindgren'],
  ['manager', 'manager@demo.test', 'cm', 'Megan', 'Alvarado'],
  ['owner', 'owner@demo.test', 'owner', 'Olivia', 'Prescott'],
  ['rep', 'rep@demo.test', 'ip_rep', 'Rachel', 'Novak'],
  ['bothParent', 'both@demo.test', 'ip', 'Julia', 'Navarro', { password: 'Demo-Parent-1!' }],
  ['bothSurrogate', 'both@demo.test', 'surrogate', 'Camila', 'Navarro', { password: 'Demo-Surrogate-1!' }],
  ['mailotp', 'mailotp@demo.test', 'ip', 'Anjali', 'Mehta', { two_factor_method: 'email' }],
  ['smsotp', 'smsotp@demo.test', 'ip', 'Rohan', 'Mehta', { two_factor_method: 'sms', phone: '+12025550143' }],
  ['totp', 'totp@demo.test', 'surrogate', 'Tessa', 'Boyd'],
  ['totpAdmin', 'totp-admin@demo.test', 'admin', 'Tobias', 'Wren', { role: 'Administrator' }],
];

/** Ids of the demo's people by those names. */
export type DemoCast = Record<string, { id: number; user_type: UserType }>;

/** Seeds the demo's agency, roles, people, and cases, without any activity. Tests start with these. */
export async function seedCast(
  tx: Transaction,
  encryptionKey: string,
  hashes: Map<string, string>,
): Promise<{ cast: DemoCast; caseIds: number[] }> {
  const agencyId = await seedAgency(tx);
  const roles = await seedRoles(tx);
  const cast = await seedPeople(tx, agencyId, roles, hashes);
  for (const name of ['totp', 'totpAdmin']) await setTotp(tx, cast[name]?.id ?? 0, encryptionKey);
  return { cast, caseIds: await seedCases(tx, agencyId, cast) };
}

/** Hashes each password of the demo. This is slow, so it must not run inside a transaction. */
export async function hashDemoPasswords(hash = hashPassword): Promise<Map<string, string>> {
  const passwords = new Set(PEOPLE.map(([, , , , , extra]) => extra?.password ?? PASSWORD));
  const hashes = new Map<string, string>();
  for (const password of passwords) hashes.set(password, await hash(password));
  return hashes;
}

async function setTotp(tx: Transaction, userId: number, encryptionKey: string): Promise<void> {
  const two_factor_secret = sealTotpSecret(encryptionKey, userId, TOTP_SECRET);
  await query(
    tx,
    sql`update user_account set two_factor_method = 'app', two_factor_secret = ${two_factor_secret} where id = ${userId}`,
  );
}

async function seedAgency(tx: Transaction): Promise<number> {
  const id = await insertRow(tx, 'agency', { name: 'Fernhill Surrogacy' });
  await insertRow(tx, 'agency_api_key', {
    agency_id: id,
    key_hash: createHash('sha256').update(AGENCY_KEY).digest(),
  });
  return id;
}

async function seedRoles(tx: Transaction): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const [name, permissions] of Object.entries(STANDARD_ROLES)) {
    const id = await insertRow(tx, 'admin_role', { name });
    const grants = permissions.map((permission) => ({ admin_role_id: id, permission }));
    await insertRows(tx, 'admin_role_permission', grants);
    ids.set(name, id);
  }
  return ids;
}

async function seedPeople(
  tx: Transaction,
  agencyId: number,
  roles: Map<string, number>,
  hashes: Map<string, string>,
): Promise<DemoCast> {
  const cast: DemoCast = {};
  for (const [name, email_address, user_type, first_name, last_name, extra = {}] of PEOPLE) {
    const id = await insertRow(tx, 'user_account', {
      email_address,
      user_type,
      first_name,
      last_name,
      password_hash: hashes.get(extra.password ?? PASSWORD) ?? null,
      password_stands_alone: true,
      phone: extra.phone ?? null,
      two_factor_method: extra.two_factor_method ?? null,
      admin_role_id: roles.get(extra.role ?? '') ?? null,
      agency_id: ['cm', 'owner'].includes(user_type) ? agencyId : null,
    });
    cast[name] = { id, user_type };
  }
  return cast;
}

const CASES = [
  {
    name: 'Case 1',
    agency: true,
    specialist: 'escrow',
    people: ['parent', 'parent2', 'surrogate', 'manager', 'owner', 'rep'],
  },
  { name: 'Case 2', agency: false, specialist: 'escrow', people: ['bothParent', 'bothSurrogate'] },
  { name: 'Case 3', agency: false, specialist: null, people: ['mailotp', 'smsotp', 'totp'] },
] as const;

async function seedCases(tx: Transaction, agencyId: number, cast: DemoCast): Promise<number[]> {
  const ids: number[] = [];
  for (const { name, agency, specialist, people } of CASES) {
    const admin = specialist === null ? null : (cast[specialist]?.id ?? null);
    const id = await insertRow(tx, 'case_file', {
      name,
      status: 'active',
      agency_id: agency ? agencyId : null,
      escrow_specialist_id: admin,
    });
    const participants = people.map((person, at) => ({
      case_id: id,
      user_id: cast[person]?.id ?? 0,
      position: at + 1,
    }));
    await insertRows(tx, 'case_participant', participants);
    if (admin !== null) await insertRows(tx, 'case_admin', [{ case_id: id, user_id: admin }]);
    ids.push(id);
  }
  return ids;
}
