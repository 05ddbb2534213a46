import type { ApiUserType } from '@case-platform/words/user-types';

/** The demo's people (DEMO-1), whom all tests share. */
export const CAST = {
  root: { email_address: 'root@demo.test', user_type: 'admin' },
  escrow: { email_address: 'escrow@demo.test', user_type: 'admin' },
  finance: { email_address: 'finance@demo.test', user_type: 'admin' },
  viewer: { email_address: 'viewer@demo.test', user_type: 'admin' },
  parent: { email_address: 'parent@demo.test', user_type: 'intended_parent' },
  parent2: { email_address: 'parent2@demo.test', user_type: 'intended_parent' },
  surrogate: { email_address: 'surrogate@demo.test', user_type: 'surrogate' },
  manager: { email_address: 'manager@demo.test', user_type: 'case_manager' },
  owner: { email_address: 'owner@demo.test', user_type: 'agency_owner' },
  rep: { email_address: 'rep@demo.test', user_type: 'ip_company' },
  bothParent: { email_address: 'both@demo.test', user_type: 'intended_parent', password: 'Demo-Parent-1!' },
  bothSurrogate: { email_address: 'both@demo.test', user_type: 'surrogate', password: 'Demo-Surrogate-1!' },
  totp: { email_address: 'totp@demo.test', user_type: 'surrogate' },
  mailotp: { email_address: 'mailotp@demo.test', user_type: 'intended_parent' },
  smsotp: { email_address: 'smsotp@demo.test', user_type: 'intended_parent' },
} satisfies Record<string, { email_address: string; user_type: ApiUserType; password?: string }>;

export type CastName = keyof typeof CAST;

/** Opens sessions for people of the cast: `const [root, parent] = await api.people('root', 'parent')`. */
export type OpensSessions<Session> = <Names extends CastName[]>(...names: Names) => Promise<{ [At in keyof Names]: Session }>;

/** @param as opens a session for one person */
export function peopleBy<Session>(as: (name: CastName) => Promise<Session>): OpensSessions<Session> {
  return (...names) => Promise.all(names.map(as)) as Promise<{ [At in keyof typeof names]: Session }>;
}

/** @param as opens a session for one person */
export async function everyoneBy<Session>(as: (name: CastName) => Promise<Session>): Promise<Record<CastName, Session>> {
  const names = Object.keys(CAST) as CastName[];
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await as(name)])));
}

export const DEMO_PASSWORD = 'Demo-Passw0rd!';

/** The first three cases of the template. */
export const CASE_1 = 1;
export const CASE_2 = 2;
export const CASE_3 = 3;

export function passwordOf(name: CastName): string {
  const person = CAST[name];
  return 'password' in person ? person.password : DEMO_PASSWORD;
}
