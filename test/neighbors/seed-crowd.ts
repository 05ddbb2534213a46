import type { SqlParameter } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';

/** A person's account, and whether they are on the case: the case of the crowd, or another one. */
const STATES = ['in', 'invited', 'closed', 'left', 'other'] as const;
const TYPES: UserType[] = ['ip', 'surrogate', 'cm', 'admin'];

interface Seed {
  /** Adds a row, and names it. */
  add(table: string, values: Record<string, SqlParameter>, name?: string): Promise<Record<string, number>>;
  id(table: string, name: string): number;
  now: Date;
  /** A time weeks ago. */
  before: Date;
}

/**
 * Adds a case with people of each type in each state, such as `ip in` and `admin closed`, who all have a device and are in one
 * conversation. `admin lead` is its escrow specialist, and `judge in` may decide about its requests.
 */
export async function seedCrowd({ add, id, now, before }: Seed): Promise<Map<string, User>> {
  const people = new Map<string, User>();
  for (const [role, permissions] of [['Guest', []] as const, ['Judge', ['approve_drs', 'view_messages']] as const]) {
    const { id: admin_role_id = 0 } = await add('admin_role', { name: `${role} of the crowd` }, role);
    for (const permission of permissions) await add('admin_role_permission', { admin_role_id, permission });
  }
  const addPerson = async (name: string, user_type: UserType, status: string) => {
    const [first_name = '', last_name = ''] = name.split(' ');
    const email_address = `${name.replace(' ', '-')}@crowd.test`;
    const role = first_name === 'judge' || last_name === 'lead' ? 'Judge' : 'Guest';
    const admin_role_id = user_type === 'admin' ? id('admin_role', role) : null;
    const user = { email_address, user_type, first_name, last_name, admin_role_id };
    const { id: user_id = 0 } = await add('user_account', { ...user, status, password_hash: 'x', created_at: before }, name);
    const endpoint = `http://127.0.0.1/${name.replace(' ', '-')}`;
    await add('push_subscription', { user_type, user_id, endpoint, p256dh: 'x', auth: 'x', vapid_key_id: 'x' }, `${name} device`);
    people.set(name, { id: user_id, agency_id: null, ...user });
    return user_id;
  };
  const lead = await addPerson('admin lead', 'admin', 'active');
  const judge = await addPerson('judge in', 'admin', 'active');
  await addPerson('judge other', 'admin', 'active');
  for (const name of ['Crowd', 'Other'])
    await add('case_file', { name: `Case ${name}`, status: 'active', escrow_specialist_id: lead, created_at: before }, name);
  await add('case_admin', { case_id: id('case_file', 'Crowd'), user_id: judge });
  const chain = { subject: 'Crowd', case_id: id('case_file', 'Crowd'), is_group: true, created_by: lead };
  const { id: chain_id = 0 } = await add(
    'message_chain',
    { ...chain, assigned_admin_id: lead, created_at: before, last_message_id: 0, last_message_at: before },
    'Crowd',
  );
  for (const [at, state] of STATES.entries())
    for (const type of TYPES) {
      const status = state === 'invited' ? 'invited' : state === 'closed' ? 'deactivated' : 'active';
      const user_id = await addPerson(`${type} ${state}`, type, status);
      const case_id = id('case_file', state === 'other' ? 'Other' : 'Crowd');
      const left_at = state === 'left' ? before : null;
      if (type !== 'admin') {
        await add('case_participant', { case_id, user_id, position: at + 1, joined_at: before, left_at });
        await add('message_chain_group', { chain_id, user_id, last_message_id: 0, joined_at: before, left_at });
      } else if (left_at === null) await add('case_admin', { case_id, user_id });
    }
  for (const writer of ['ip in', 'admin lead']) {
    const from_id = id('user_account', writer);
    const from = { chain_id, from_id, from_type: people.get(writer)?.user_type ?? '', to_admin: writer === 'ip in' };
    const { id: message_id = 0 } = await add('message', { ...from, message: 'Hello', created_at: now }, `from ${writer}`);
    for (const { id: user_id, user_type } of people.values())
      if (user_id !== from_id && user_type !== 'admin') await add('message_recipient', { message_id, user_id, chain_id });
  }
  return people;
}
