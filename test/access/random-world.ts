import { run, type Transaction } from '@case-platform/lib/database';
import type { User } from '@case-platform/modules/accounts';
import type { Permission } from '@case-platform/modules/permissions';
import type { UserType } from '@case-platform/words/user-types';
import fc from 'fast-check';

/** People, cases and chains as they come; people are named by their place in the list, also where they do not belong. */
export interface World {
  people: { user_type: UserType; agency: number | null; permissions: Permission[] }[];
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
      permissions: fc.subarray<Permission>(['view_all_cases', 'view_drs', 'reassign_threads', 'approve_drs']),
    }),
    { minLength: PEOPLE, maxLength: PEOPLE },
  ),
  cases: fc.array(
    fc.record({ agency, specialist: perhaps(who), team: fc.uniqueArray(who, { maxLength: 2 }), participants: parts }),
    { minLength: 1, maxLength: 4 },
  ),
  chains: fc.array(
    fc.record({ of_case: perhaps(fc.nat(3)), assigned: perhaps(who), created_by: who, members: parts }),
    { minLength: 1, maxLength: 4 },
  ),
});

/** What became of a world's people, cases and chains, in their order; each case has one request, whose id this gives too. */
export interface Written {
  people: User[];
  cases: { id: number; request_id: number }[];
  chains: { id: number }[];
}

/** Writes a world. */
export async function writeWorld(tx: Transaction, { people, cases, chains }: World): Promise<Written> {
  const agencies = [await insert(tx, 'agency', { name: 'One' }), await insert(tx, 'agency', { name: 'Two' })];
  const agencyOf = (place: number | null) => (place === null ? null : agencies[place]);
  const written: Written = { people: [], cases: [], chains: [] };
  for (const [at, { user_type, agency: of, permissions }] of people.entries()) {
    const role = user_type === 'admin' ? await insert(tx, 'admin_role', { name: `Role ${at}` }) : null;
    if (role !== null)
      await run(tx, 'insert into admin_role_permission select $1, unnest($2::text[])', [role, permissions]);
    const id = await insert(tx, 'user_account', {
      email_address: `person-${at}@world.test`,
      user_type,
      agency_id: agencyOf(of),
      admin_role_id: role,
    });
    written.people.push(...(await run<User>(tx, 'select * from user_account where id = $1', [id])));
  }
  const idOf = (place: number | null) => (place === null ? null : written.people[place]?.id);
  const maker = idOf(0);
  for (const { agency: of, specialist, team, participants } of cases) {
    const values = { name: 'Case', agency_id: agencyOf(of), escrow_specialist_id: idOf(specialist) };
    const id = await insert(tx, 'case_file', values);
    for (const place of team)
      await run(tx, 'insert into case_admin (case_id, user_id) values ($1, $2)', [id, idOf(place)]);
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
    await run(tx, 'update message_chain set last_message_id = $2 where id = $1', [id, message_id]);
    await insertParts(
      tx,
      'message_chain_group (chain_id, user_id, left_at, last_message_id)',
      id,
      members.map(named),
      message_id,
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
  parts: { user_id: number | null | undefined; left: boolean }[],
  ...more: number[]
): Promise<void> {
  const others = more.map((_, at) => `, $${at + 4}`).join('');
  for (const { user_id, left } of parts)
    await run(tx, `insert into ${columns} values ($1, $2, case when $3 then now() end${others})`, [
      id,
      user_id,
      left,
      ...more,
    ]);
}

async function insert(tx: Transaction, table: string, values: Record<string, unknown>): Promise<number> {
  const names = Object.keys(values);
  const places = names.map((_, at) => `$${at + 1}`);
  const [row] = await run<{ id: number }>(
    tx,
    `insert into ${table} (${names.join(', ')}) values (${places.join(', ')}) returning id`,
    Object.values(values),
  );
  return row?.id ?? 0;
}
