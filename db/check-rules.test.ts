import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createDatabase } from '@case-platform/lib/database';
import pg from 'pg';
import { seedTwins } from '../test/neighbors/seed-twins.ts';
import { createTestDatabase, serverUrl } from '../test/support/database.ts';

/** Every limit and every list of words that the database enforces behind the code. */

after(() => owner.end());
const { url, pool } = await createTestDatabase();
await createDatabase(pool).transaction(seedTwins);
const owner = new pg.Client({ connectionString: serverUrl(new URL(url).pathname.slice(1)) });
await owner.connect();
// Only checks look at what is written, and not foreign keys or triggers.
await owner.query('set session_replication_role = replica');
await owner.query(`
  insert into audit_entry (layer, action) values ('system', 'test.row');
  insert into call_count (subject, minute, calls) values ('x', 1, 1);
  insert into ended_web_session (id_hash, user_id) select sha256('x'), min(id) from user_account;
  insert into pending_upload (id, user_id, purpose, subject_id, filename, content_type, created_at)
    select gen_random_uuid(), min(id), 'photo_id', 1, 'a.png', 'image/png', now() from user_account;
  insert into provider_report (source, report_id) values ('twilio', 'x');
  insert into role_grant (admin_role_id, user_id, asked_by, status, decided_by, decided_at)
    select min(r.id), min(u.id), min(u.id), 'refused', min(u.id), now() from admin_role r, user_account u;
  insert into stored_picture (storage_key) values ('x');
  insert into picture_rendition (storage_key, picture_key, width) values ('x', 'x', 96);
  insert into user_account (email_address, user_type) values ('last@twins.test', 'ip');
  insert into unsubscribe_key (user_id, key) select min(id), sha256('x') from user_account;
  insert into worker_heartbeat (worker_id) values ('x');
  update agency set name = id::text;
`);

/** How many characters a column accepts. */
const WORDS: Record<string, [least: number, most: number]> = {
  'address_change.old_address': [3, 254],
  'address_change.new_address': [3, 254],
  'admin_role.name': [1, 100],
  'agency.name': [1, 200],
  'agency_event.event_id': [1, 255],
  'agency_event.type': [1, 100],
  'audit_entry.request_id': [0, 64],
  'audit_entry.subject_label': [0, 300],
  'call_count.subject': [0, 64],
  'chain_note.note': [1, 10_000],
  'delivery.delivery_key': [0, 300],
  'idempotency_key.key': [1, 255],
  'message.client_key': [1, 255],
  'message.message': [1, 10_000],
  'message_chain.subject': [0, 200],
  'message_file.filename': [1, 255],
  'notification_preference.event': [0, 100],
  'pending_upload.content_type': [0, 127],
  'pending_upload.filename': [1, 255],
  'pending_upload.purpose': [1, 40],
  'provider_report.report_id': [1, 300],
  'push_subscription.endpoint': [0, 2048],
  'push_subscription.user_agent': [0, 500],
  'sign_in.user_agent': [0, 400],
  'suppression.address': [0, 320],
  'suppression.detail': [0, 500],
  'suppression_lift.address': [0, 320],
  'user_account.email_address': [3, 254],
  'user_account.first_name': [0, 100],
  'user_account.last_name': [0, 100],
  'user_account.timezone': [0, 64],
  'user_file.filename': [1, 255],
  'worker_heartbeat.worker_id': [0, 200],
};

/** The words that a column accepts. */
const LISTS: Record<string, string[]> = {
  'audit_entry.layer': ['api', 'admin', 'worker', 'system'],
  'delivery.channel': ['email', 'sms', 'push'],
  'delivery.outcome': ['delivered', 'bounced'],
  'delivery.state': ['queued', 'sent', 'failed', 'suppressed'],
  'message_chain.status': ['open', 'closed'],
  'notification_preference.channel': ['email', 'sms', 'push'],
  'password_reset.purpose': ['reset', 'invitation'],
  'provider_report.source': ['sendgrid', 'twilio'],
  'role_grant.status': ['waiting', 'confirmed', 'refused'],
  'sign_in.layer': ['api', 'admin'],
  'stored_picture.failure': ['damaged', 'too_large', 'too_slow', 'unfinished'],
  'stored_picture.state': ['waiting', 'clean', 'failed'],
  'suppression.channel': ['email', 'sms'],
  'suppression.reason': ['bounced', 'invalid', 'unsubscribed', 'complained'],
  'suppression.source': ['sendgrid', 'twilio'],
  'suppression_lift.channel': ['email', 'sms'],
  'tfa_challenge.method': ['app', 'email', 'sms'],
  'tfa_challenge.purpose': ['api_login', 'admin_login', 'change'],
  'user_account.status': ['invited', 'active', 'deactivated'],
  'user_account.two_factor_method': ['app', 'email', 'sms'],
  'user_account.user_type': ['admin', 'surrogate', 'cm', 'owner', 'ip', 'ip_rep'],
  'user_file.purpose': ['profile_picture', 'photo_id'],
};

/** Hashes and keys: 32 bytes, no more and no fewer. */
const HASHES = [
  'address_change.token_hash',
  'admin_session.id_hash',
  'agency_api_key.key_hash',
  'backup_code.code_hash',
  'ended_web_session.id_hash',
  'idempotency_key.request_hash',
  'password_reset.token_hash',
  'tfa_challenge.code_hash',
  'unsubscribe_key.key',
];

const NUMBERS: Record<string, [least: number, most: number | null]> = {
  'message_file.size': [0, null],
  'pending_upload.size': [1, null],
  'picture_rendition.width': [16, 2048],
  'stored_picture.attempts': [0, null],
  'stored_picture.size': [1, null],
  'user_file.size': [1, null],
};

/** Texts of the form that a column accepts, and others. */
const FORMS: Record<string, { taken: string[]; refused: string[] }> = {
  'admin_permission.value': { taken: ['view_users2'], refused: ['View', '2view', 'view-users', ''] },
  'audit_entry.action': {
    taken: ['user.update_own', `a.${'b'.repeat(62)}`],
    refused: ['user', 'user.', '.update', 'User.update', 'user.update2', `a.${'b'.repeat(63)}`],
  },
  'pending_upload.purpose': { taken: ['photo_id'], refused: ['Photo', '_photo', 'photo-id'] },
  'address_change.new_address': { taken: ['ann@twins.test'], refused: ['Ann@twins.test'] },
  'user_account.email_address': { taken: ['other@twins.test'], refused: ['Other@twins.test'] },
  'user_account.phone': {
    taken: ['+1202555', '+120255501234567'],
    refused: ['+120255', '+1202555012345678', '12025550143', '+02025550143', '+1202555014a'],
  },
  'user_account.confirmed_phone': {
    taken: ['+1202555', '+120255501234567'],
    refused: ['+120255', '+1202555012345678', '12025550143', '+02025550143'],
  },
};

/** Combinations of columns that a row cannot have. */
const TOGETHER: Record<string, string[]> = {
  address_change_check: ['update address_change set confirmed_at = now(), ended_at = now()'],
  database_copy_only_one_check: ['update database_copy set only_one = false'],
  message_check: [`update message set to_id = 1`, `update message set to_type = 'ip'`],
  message_check1: ['update message set to_admin = false, admin_viewed = now()'],
  message_message_check: [`update message set message = '', retracted_at = null`],
  permission_catalogue_singleton_check: ['update permission_catalogue set singleton = false'],
  role_grant_check: [
    `update role_grant set permissions = '{x}' where user_id is not null`,
    'update role_grant set permissions = null where user_id is null',
  ],
  role_grant_check1: [
    'update role_grant set decided_by = 1, decided_at = now()',
    `update role_grant set status = 'confirmed'`,
    `update role_grant set status = 'refused', decided_by = 1`,
    `update role_grant set status = 'refused', decided_at = now()`,
  ],
  role_grant_permissions_check: [`update role_grant set permissions = '{}' where user_id is null`],
  user_account_check: [`update user_account set admin_role_id = 1 where user_type <> 'admin'`],
  user_account_check1: [`update user_account set two_factor_method = 'app', two_factor_secret = null`],
  user_account_check2: [`update user_account set two_factor_method = 'sms', phone = null`],
  user_account_check3: ['update user_account set erased_at = now()'],
};

/** Returns the check that rejects a statement, or null. A statement that is rejected for another reason has passed its check. */
async function refusedBy(statement: string, values: unknown[] = []): Promise<string | null> {
  await owner.query('begin');
  try {
    const { rowCount } = await owner.query(statement, values);
    assert.ok(rowCount, `${statement} changes no row`);
    return null;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return error.code === '23514' ? (error.constraint ?? '') : null;
  } finally {
    await owner.query('rollback');
  }
}

/** True if the check of this column rejects a value. */
async function isRefused(place: string, value: unknown): Promise<boolean> {
  const [table = '', column = ''] = place.split('.');
  const one = `update ${table} set ${column} = $1 where ctid = (select max(ctid) from ${table})`;
  return (await refusedBy(one, [value])) === `${table}_${column}_check`;
}

test('a text has as many characters as its column accepts, and not one fewer or more', async () => {
  for (const [place, [least, most]] of Object.entries(WORDS)) {
    for (const length of [least, most]) assert.equal(await isRefused(place, 'x'.repeat(length)), false, `${place} ${length}`);
    for (const length of [least - 1, most + 1].filter((one) => one >= 0))
      assert.equal(await isRefused(place, 'x'.repeat(length)), true, `${place} ${length}`);
  }
});

test('a column accepts each word of its list, and no other', async () => {
  for (const [place, words] of Object.entries(LISTS)) {
    for (const word of words) assert.equal(await isRefused(place, word), false, `${place} ${word}`);
    for (const word of ['other', '', (words[0] ?? '').toUpperCase()])
      assert.equal(await isRefused(place, word), true, `${place} ${word}`);
  }
});

test('a hash has 32 bytes', async () => {
  for (const place of HASHES)
    for (const [length, refused] of [[31, true] as const, [32, false] as const, [33, true] as const])
      assert.equal(await isRefused(place, Buffer.alloc(length, 1)), refused, `${place} ${length}`);
});

test('a number is within the limits of its column', async () => {
  for (const [place, [least, most]] of Object.entries(NUMBERS)) {
    assert.deepEqual([await isRefused(place, least), await isRefused(place, least - 1)], [false, true], place);
    if (most === null) continue;
    assert.deepEqual([await isRefused(place, most), await isRefused(place, most + 1)], [false, true], place);
  }
});

test('a text has the form that its column accepts', async () => {
  for (const [place, { taken, refused }] of Object.entries(FORMS)) {
    for (const text of taken) assert.equal(await isRefused(place, text), false, `${place} ${text}`);
    for (const text of refused) assert.equal(await isRefused(place, text), true, `${place} ${text}`);
  }
});

test('columns of a row agree with each other', async () => {
  for (const [constraint, statements] of Object.entries(TOGETHER))
    for (const statement of statements) assert.equal(await refusedBy(statement), constraint, statement);
});

test('every check of these tables is tested here', async () => {
  const places = [...Object.keys({ ...WORDS, ...LISTS, ...NUMBERS, ...FORMS }), ...HASHES];
  const tried = new Set([...places.map((place) => `${place.replace('.', '_')}_check`), ...Object.keys(TOGETHER)]);
  const tables = new Set(places.map((place) => place.split('.')[0]));
  const { rows } = await owner.query<{ name: string }>(
    `select conname::text as name from pg_constraint
      where contype = 'c' and conrelid = any($1::regclass[]) order by 1`,
    [[...tables]],
  );
  assert.deepEqual(
    rows.map(({ name }) => name).filter((name) => !tried.has(name)),
    [],
  );
});
