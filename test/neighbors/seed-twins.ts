import { createHash } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import { keyedHashes } from '@case-platform/lib/encryption';
import type { SqlParameter } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { hashPassword } from '@case-platform/modules/accounts';
import { TEST_SECRETS } from '../support/database.ts';
import type { RowNames } from '../support/written-values.ts';
import { seedCrowd } from './seed-crowd.ts';

export const NOW = new Date();
const BEFORE = new Date(NOW.getTime() - 40 * 86_400_000);
const LATER = new Date(NOW.getTime() + 300_000);
export const PASSWORD = 'correct horse battery staple';
const passwordHash = await hashPassword(PASSWORD);

type Values = Record<string, SqlParameter>;
type Added = Record<string, number>;

/** People, cases, conversations, agencies, and roles, each of which has a twin in the same state. */
export interface Twins {
  names: RowNames;
  /** Ann and Ben are surrogates; Ada, Bob, and Eve are staff of one role. */
  people: Record<'ann' | 'ben' | 'ada' | 'bob' | 'eve', User>;
  /** The people of `seedCrowd`, such as `ip left`. */
  crowd: Map<string, User>;
  /** The id of anything that has a name. */
  id(table: string, name: string): number;
}

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Adds the twins and the crowd. Whatever happens to one of them must leave the other as it is. */
export async function seedTwins(tx: Transaction): Promise<Twins> {
  const names: RowNames = new Map();
  const ids = new Map<string, number>();
  const add = async (table: string, values: Values, name?: string): Promise<Added> => {
    const columns = Object.keys(values);
    const places = columns.map((_, at) => `$${at + 1}`);
    const text = `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')}) returning *`;
    const { rows } = await tx.query({ text, values: Object.values(values) });
    const row = rows[0] as Added;
    if (name !== undefined) {
      names.set(`${table}:${row.id}`, name);
      ids.set(`${table}:${name}`, Number(row.id));
    }
    return row;
  };
  const id = (table: string, name: string) => {
    const rowId = ids.get(`${table}:${name}`);
    if (rowId === undefined) throw new Error(`there is no ${table} ${name}`);
    return rowId;
  };
  for (const name of ['Alder', 'Birch']) {
    const { id: agency_id = 0 } = await add('agency', { name }, name);
    for (const key of ['one', 'two'])
      await add('agency_api_key', { agency_id, key_hash: hashOf(`${name} ${key}`) }, `${name}-${key}`);
    await add('agency_event', { agency_id, event_id: 'same', type: 'told' });
  }
  for (const name of ['Desk', 'Till']) {
    const { id: admin_role_id = 0 } = await add('admin_role', { name: `${name} of the twins` }, name);
    for (const permission of ['view_messages', 'reassign_threads', 'view_all_cases', 'send_group_messages'])
      await add('admin_role_permission', { admin_role_id, permission });
  }
  const people: User[] = [];
  for (const name of ['Ann', 'Ben', 'Ada', 'Bob', 'Eve']) people.push(await addPerson(add, id, name));
  const [ann, ben, ada, bob, eve] = people as [User, User, User, User, User];
  for (const name of ['One', 'Two']) {
    const { id: case_id = 0 } = await add('case_file', { name: `Case ${name}`, status: 'active' }, name);
    for (const [at, { id: user_id }] of [ann, ben].entries())
      await add('case_participant', { case_id, user_id, position: at + 1, joined_at: BEFORE });
  }
  for (const [name, case_id] of [
    ['Talk', id('case_file', 'One')],
    ['Aside', id('case_file', 'One')],
    ['Elsewhere', id('case_file', 'Two')],
  ] as const)
    await addChain(tx, add, { name, case_id, members: [ann, ben], staff: ada });
  for (const [user_id, asked_by] of [[ada.id, bob.id] as const, [bob.id, ada.id] as const])
    await add('role_grant', { admin_role_id: id('admin_role', 'Till'), user_id, asked_by });
  for (const role of ['Desk', 'Till'])
    await add('role_grant', {
      admin_role_id: id('admin_role', role),
      permissions: ['make_payments'],
      asked_by: ada.id,
    });
  const crowd = await seedCrowd({ add, id, now: NOW, before: BEFORE });
  return { names, people: { ann, ben, ada, bob, eve }, crowd, id };
}

type Add = (table: string, values: Values, name?: string) => Promise<Added>;

async function addPerson(add: Add, id: Twins['id'], name: string): Promise<User> {
  const isStaff = !['Ann', 'Ben'].includes(name);
  const user = {
    email_address: `${name.toLowerCase()}@twins.test`,
    user_type: isStaff ? 'admin' : 'surrogate',
    first_name: name,
    last_name: 'Twin',
    admin_role_id: isStaff ? id('admin_role', 'Desk') : null,
    agency_id: null,
  } as const;
  const phone = `+1202555${{ Ann: '0161', Ben: '0162', Ada: '0163', Bob: '0164', Eve: '0165' }[name]}`;
  const account = {
    ...user,
    phone,
    password_hash: passwordHash,
    password_stands_alone: true,
    status: 'active',
    created_at: BEFORE,
    updated_at: BEFORE,
  };
  const { id: user_id = 0 } = await add('user_account', account, name);
  await addSecrets(add, user_id, name, user);
  await addNotices(add, user_id, { ...user, phone, name });
  for (const purpose of ['profile_picture', 'photo_id'])
    await add('user_file', {
      user_id,
      purpose,
      filename: 'a.png',
      content_type: 'image/png',
      size: 1,
      storage_key: `files/${purpose}/${name}.png`,
    });
  for (const [key, response_body] of [['running', null] as const, ['answered', '{"id":1}'] as const])
    await add('idempotency_key', { user_id, key, request_hash: hashOf(key), response_body, created_at: NOW });
  return { id: user_id, ...user };
}

async function addSecrets(add: Add, user_id: number, name: string, user: Pick<User, 'user_type' | 'email_address'>) {
  const { user_type, email_address } = user;
  for (const session of ['desk', 'phone'])
    await add('admin_session', {
      id_hash: hashOf(`${name} ${session}`),
      user_id,
      user_type,
      csrf_token: 'x',
      created_at: NOW,
      last_active_at: NOW,
      confirmed_at: BEFORE,
    });
  for (const purpose of ['api_login', 'admin_login', 'change'])
    await add('tfa_challenge', {
      id: challengeId(name, purpose),
      user_id,
      purpose,
      method: 'email',
      code_hash: hashOf('123456'),
      sent_at: BEFORE,
      sent_to: email_address,
      created_at: NOW,
      expires_at: LATER,
    });
  await add('password_reset', { user_id, token_hash: hashOf(`${name} link`), created_at: NOW, expires_at: LATER });
  const changing = { user_id, old_address: email_address, requested_by: user_id, requested_at: NOW, expires_at: LATER };
  const new_address = `new-${email_address}`;
  await add('address_change', { ...changing, new_address, token_hash: hashOf(`${name} address`) });
  for (const code of ['aaaaa-aaaaa', 'bbbbb-bbbbb']) {
    const [code_hash = Buffer.of()] = backupHashes(user_id, code);
    await add('backup_code', { user_id, code_hash });
  }
  await add('sign_in', { user_id, layer: 'api', signed_in_at: BEFORE });
}

const backupHashes = (userId: number, code: string) =>
  keyedHashes(TEST_SECRETS.encryptionKey, 'backup code', `${userId}:${code.replace('-', '')}`);

/** Returns the id of a challenge of the twins. */
export function challengeId(name: string, purpose: string): string {
  const hex = createHash('sha256').update(`${name} ${purpose}`).digest('hex');
  return [8, 4, 4, 4, 12].map((length, at) => hex.slice(at * 12, at * 12 + length)).join('-');
}

async function addNotices(
  add: Add,
  user_id: number,
  { user_type, email_address, phone, name }: Pick<User, 'user_type' | 'email_address'> & { phone: string; name: string },
) {
  for (const place of ['desk', 'phone']) {
    const endpoint = `http://127.0.0.1/${name}-${place}`;
    const device = { p256dh: 'x', auth: 'x', vapid_key_id: 'x', user_agent: place };
    await add('push_subscription', { user_type, user_id, endpoint, ...device, created_at: BEFORE }, `${name}-${place}`);
  }
  for (const channel of ['email', 'push'])
    await add('notification_preference', {
      user_id,
      event: 'new_message',
      channel,
      enabled: false,
      updated_at: BEFORE,
    });
  for (const [channel, recipient] of [
    ['email', email_address],
    ['sms', phone],
    ['push', 'push.test'],
  ] as const) {
    const delivery = { channel, event: 'new_message', user_id, recipient, created_at: BEFORE };
    for (const [state, retry_job] of [['queued', null] as const, ['failed', '{"delivery_id":1}'] as const])
      await add(
        'delivery',
        { ...delivery, delivery_key: `${name}-${channel}-${state}`, state, retry_job },
        `${name}-${channel}-${state}`,
      );
    if (channel === 'push') continue;
    const blocked = {
      channel,
      address: recipient,
      reason: 'bounced',
      source: channel === 'email' ? 'sendgrid' : 'twilio',
    };
    await add('suppression', { ...blocked, created_at: BEFORE }, `${name}-${channel}`);
    await add('suppression_lift', { channel, address: recipient, lifted_at: BEFORE });
  }
}

async function addChain(
  tx: Transaction,
  add: Add,
  { name, case_id, members, staff }: { name: string; case_id: number; members: User[]; staff: User },
) {
  const chain = { subject: name, case_id, is_group: true, created_by: staff.id, assigned_admin_id: staff.id };
  const times = { created_at: BEFORE, last_message_at: BEFORE };
  const { id: chain_id = 0 } = await add('message_chain', { ...chain, ...times, last_message_id: 0 }, name);
  for (const writer of [...members, staff]) {
    const from = { chain_id, from_id: writer.id, from_type: writer.user_type, to_admin: writer !== staff };
    const { id: message_id = 0 } = await add(
      'message',
      { ...from, message: 'Hello', created_at: NOW },
      `${name}-${writer.first_name}`,
    );
    for (const member of members)
      if (member !== writer) await add('message_recipient', { message_id, user_id: member.id, chain_id });
    await add('message_file', {
      message_id,
      filename: 'a.txt',
      content_type: 'text/plain',
      size: 1,
      storage_key: `messages/${chain_id}/${message_id}/a.txt`,
    });
    await tx.query({
      text: 'update message_chain set last_message_id = $1 where id = $2',
      values: [message_id, chain_id],
    });
  }
  for (const member of members) {
    await add('message_chain_group', { chain_id, user_id: member.id, last_message_id: 1, joined_at: BEFORE });
    await add('message_mail', { chain_id, user_id: member.id, mailed_at: BEFORE, up_to_message_id: 0 });
  }
  await add('chain_note', { chain_id, author_id: staff.id, note: 'A note', created_at: BEFORE });
}
