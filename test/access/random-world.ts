import type { Transaction } from '@case-platform/lib/database';
import { listOf, query, type SqlParameter, sql, trustedSql } from '@case-platform/lib/sql';
import type { Permission, User } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import fc from 'fast-check';

/** Random people, cases, and conversations. People are identified by their index in the list, even where they do not belong. */
export interface World {
  people: { user_type: UserType; agency: number | null; permissions: Permission[]; active: boolean }[];
  cases: { agency: number | null; specialist: number | null; team: number[]; participants: Part[] }[];
  chains: { of_case: number | null; assigned: number | null; created_by: number; members: Part[] }[];
}
interface Part {
  who: number;
  left: boolean;
}

const PEOPLE = 7;
const who = fc.nat(PEOPLE - 1);
const perhaps = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const agency = perhaps(fc.constantFrom(0, 1));
const parts = fc.uniqueArray(fc.record<Part>({ who, left: fc.boolean() }), { selector: (p) => p.who, maxLength: 3 });
const type = fc.constantFrom<UserType>('admin', 'admin', 'admin', 'owner', 'cm', 'ip', 'ip_rep', 'surrogate');

export const world: fc.Arbitrary<World> = fc.record({
  people: fc.array(
    fc.record({
      user_type: type,
      agency,
      permissions: fc.subarray<Permission>(['view_all_cases', 'view_drs', 'reassign_threads', 'approve_drs', 'view_messages']),
      active: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    }),
    { minLength: PEOPLE, maxLength: PEOPLE },
  ),
  cases: fc.array(
    fc.record({ agency, specialist: perhaps(who), team: fc.uniqueArray(who, { maxLength: 2 }), participants: parts }),
    { minLength: 1, maxLength: 4 },
  ),
  chains: fc.array(fc.record({ of_case: perhaps(fc.nat(3)), assigned: perhaps(who), created_by: who, members: parts }), {
    minLength: 1,
    maxLength: 4,
  }),
});

/** Ways in which a person, a case, or a conversation loses what gave someone access. */
const LOSSES = [
  ...(['account', 'permission', 'team', 'specialist', 'case', 'agency', 'moved_case', 'group', 'assignment'] as const),
];
export interface Loss {
  kind: (typeof LOSSES)[number];
  who: number;
  at: number;
  permission: Permission;
}
export const losses: fc.Arbitrary<Loss[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...LOSSES),
    who,
    at: fc.nat(3),
    permission: fc.constantFrom<Permission>('view_all_cases', 'reassign_threads', 'view_messages'),
  }),
  { minLength: 1, maxLength: 4 },
);

/** Removes access, in the database and in the world that describes it. */
export async function lose(tx: Transaction, of: World, written: Written, { kind, who, at, permission }: Loss) {
  const person = of.people[who] as World['people'][number];
  const userId = written.people[who]?.id ?? 0;
  const [caseFile, chain] = [of.cases[at % of.cases.length], of.chains[at % of.chains.length]];
  const caseId = written.cases[at % of.cases.length]?.id ?? 0;
  const chainId = written.chains[at % of.chains.length]?.id ?? 0;
  if (caseFile === undefined || chain === undefined) throw new Error('a world has a case and a chain');
  const leave = (parts: Part[]) => {
    for (const part of parts) part.left ||= part.who === who;
  };
  switch (kind) {
    case 'account':
      person.active = false;
      return query(tx, sql`update user_account set status = 'deactivated' where id = ${userId}`);
    case 'permission':
      person.permissions = person.permissions.filter((one) => one !== permission);
      return query(
        tx,
        sql`delete from admin_role_permission g using user_account u
             where u.id = ${userId} and g.admin_role_id = u.admin_role_id and g.permission = ${permission}`,
      );
    case 'team':
      caseFile.team = caseFile.team.filter((one) => one !== who);
      return query(tx, sql`delete from case_admin where case_id = ${caseId} and user_id = ${userId}`);
    case 'specialist':
      caseFile.specialist = null;
      return query(tx, sql`update case_file set escrow_specialist_id = null where id = ${caseId}`);
    case 'case':
      leave(caseFile.participants);
      return query(tx, sql`update case_participant set left_at = now() where case_id = ${caseId} and user_id = ${userId}`);
    case 'agency':
      person.agency = null;
      for (const one of written.people) if (one.id === userId) one.agency_id = null;
      return query(tx, sql`update user_account set agency_id = null where id = ${userId}`);
    case 'moved_case':
      caseFile.agency = null;
      return query(tx, sql`update case_file set agency_id = null where id = ${caseId}`);
    case 'group':
      leave(chain.members);
      return query(tx, sql`update message_chain_group set left_at = now() where chain_id = ${chainId} and user_id = ${userId}`);
    case 'assignment':
      chain.assigned = null;
      return query(tx, sql`update message_chain set assigned_admin_id = null where id = ${chainId}`);
  }
}

/** The rows of a world's people, cases, and conversations, in order. Each case has one request, whose id is included. */
export interface Written {
  people: User[];
  cases: { id: number; request_id: number }[];
  chains: { id: number }[];
}

export async function writeWorld(tx: Transaction, { people, cases, chains }: World): Promise<Written> {
  const agencies = [await insert(tx, 'agency', { name: 'One' }), await insert(tx, 'agency', { name: 'Two' })];
  const agencyOf = (place: number | null) => (place === null ? null : (agencies[place] ?? null));
  const written: Written = { people: [], cases: [], chains: [] };
  for (const [at, { user_type, agency: of, permissions, active }] of people.entries()) {
    const role = user_type === 'admin' ? await insert(tx, 'admin_role', { name: `Role ${at}` }) : null;
    if (role !== null) await query(tx, sql`insert into admin_role_permission select ${role}, unnest(${permissions}::text[])`);
    const id = await insert(tx, 'user_account', {
      email_address: `person-${at}@world.test`,
      user_type,
      agency_id: agencyOf(of),
      admin_role_id: role,
      status: active ? 'active' : 'deactivated',
    });
    written.people.push(...(await query<User>(tx, sql`select * from user_account where id = ${id}`)));
  }
  const idOf = (place: number | null) => (place === null ? null : (written.people[place]?.id ?? null));
  const maker = idOf(0);
  for (const { agency: of, specialist, team, participants } of cases) {
    const values = { name: 'Case', agency_id: agencyOf(of), escrow_specialist_id: idOf(specialist) };
    const id = await insert(tx, 'case_file', values);
    for (const place of team) await query(tx, sql`insert into case_admin (case_id, user_id) values (${id}, ${idOf(place)})`);
    await insertParts(tx, 'case_participant (case_id, user_id, left_at)', id, participants.map(named));
    const request = { case_id: id, amount_cents: 1, category: 'Travel', description: 'Train' };
    const request_id = await insert(tx, 'disbursement_request', { ...request, payee_id: maker, created_by: maker });
    written.cases.push({ id, request_id });
  }
  for (const { of_case, assigned, created_by, members } of chains) {
    const case_id = of_case === null ? null : (written.cases[of_case]?.id ?? null);
    const values = { case_id, assigned_admin_id: idOf(assigned), created_by: idOf(created_by), last_message_id: 0 };
    const id = await insert(tx, 'message_chain', values);
    const message = { chain_id: id, from_id: idOf(created_by), from_type: 'ip', to_admin: true, message: 'Hello' };
    const message_id = await insert(tx, 'message', message);
    await query(tx, sql`update message_chain set last_message_id = ${message_id} where id = ${id}`);
    await insertParts(
      tx,
      'message_chain_group (chain_id, user_id, left_at, last_message_id)',
      id,
      members.map(named),
      message_id,
    );
    await query(
      tx,
      sql`insert into message_recipient (message_id, user_id, chain_id)
          select ${message_id}, g.user_id, g.chain_id from message_chain_group g join user_account u on u.id = g.user_id
           where g.chain_id = ${id} and g.user_id <> ${idOf(created_by)} and u.user_type <> 'admin'`,
    );
    written.chains.push({ id });
  }
  return written;

  function named({ who: place, left }: Part) {
    return { user_id: idOf(place), left };
  }
}

async function insertParts(
  tx: Transaction,
  columns: string,
  id: number,
  parts: { user_id: number | null; left: boolean }[],
  ...more: number[]
): Promise<void> {
  for (const { user_id, left } of parts) {
    const values = [sql`${id}`, sql`${user_id}`, sql`case when ${left} then now() end`, ...more.map((one) => sql`${one}`)];
    await query(tx, sql`insert into ${trustedSql(columns)} values (${listOf(values)})`);
  }
}

async function insert(tx: Transaction, table: string, values: Record<string, SqlParameter>): Promise<number> {
  const names = Object.keys(values).map(trustedSql);
  const given = Object.values(values).map((value) => sql`${value}`);
  const [row] = await query<{ id: number }>(
    tx,
    sql`insert into ${trustedSql(table)} (${listOf(names)}) values (${listOf(given)}) returning id`,
  );
  return row?.id ?? 0;
}
