import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCatalogue } from '@case-platform/modules/accounts';
import { grant } from '../../support/grant.ts';
import { PeopleDesk } from './people-desk.ts';

const people = await PeopleDesk.start(() => new Date());
const { admin, root } = people;
const { pool } = people.api;
const viewer = await admin.as('viewer');
const PHONE = '+12025550177';
const ADDRESS = '198.51.100.77';
const MAILBOX = 'only-in-a-delivery@elsewhere.test';
/** An address that does not look like one, so a page can only hide it by knowing that it is one. */
const QUOTED = '"Hannelore Once"@elsewhere.test';
const OTHER = 'not-the-recipient@elsewhere.test';

const id = await people.idOf('smsotp');
await pool.query('update user_account set phone = $2 where id = $1', [id, PHONE]);
await pool.query(
  `insert into sign_in (user_id, layer, ip_address, user_agent, signed_in_at) values ($1, 'api', $2, 'x', now())`,
  [id, ADDRESS],
);
const { rows: deliveries } = await pool.query<{ id: number }>(
  `insert into delivery (delivery_key, channel, event, user_id, recipient, subject, state, error)
   values ('a', 'sms', 'two_factor_code', $1, $2, '', 'failed', 'The number (202) 555-0177 or ' || $2 || ' is not valid.'),
          ('b', 'email', 'password_changed', $1, $3, 'A notice', 'failed', 'Nobody has ' || $3 || ' here.'),
          ('c', 'email', 'password_changed', $1, $4, 'A notice', 'failed', 'Refused: ' || $4 || '; ask ' || $5) returning id`,
  [id, PHONE, MAILBOX, QUOTED, OTHER],
);
await pool.query(
  `insert into suppression (channel, address, reason, detail, source) values ('sms', $1, 'invalid', 'Not valid: ' || $1, 'twilio'),
                                                                   ('email', $2, 'bounced', $2, 'sendgrid')`,
  [PHONE, MAILBOX],
);

const { rows: entries } = await pool.query<{ id: number; told: string }>(
  `insert into audit_entry (layer, action, actor_id, actor_type, subject_id, subject_label, before, after, ip_address)
   values ('api', 'user.update_own', $1, 'ip', $1, 'Sam', '{"phone": null}', jsonb_build_object('phone', $2::text), $3),
          ('admin', 'user.request_address', null, null, $1, 'Sam', '{"email_address": "smsotp@demo.test"}',
           jsonb_build_object('email_address', $4::text), $3),
          ('admin', 'delivery.retry', null, null, 1, $4, null, null, $3),
          ('admin', 'suppression.lift', null, null, 1, $2, '{"channel": "sms"}', null, $3) returning id, action as told`,
  [id, PHONE, ADDRESS, MAILBOX],
);

/** Every page of the application, on the objects above. */
const paths = [
  ...admin.guardedRoutes
    .filter(({ method, guard }) => method === 'GET' && guard.startsWith('pageGuard('))
    .map(({ url }) => url.replace(':user_id', String(id)).replace(':delivery_id', String(deliveries[0]?.id)))
    .map((url) => url.replaceAll(/:\w+/g, '1')),
  `/deliveries/${deliveries[1]?.id}`,
  `/deliveries/${deliveries[2]?.id}`,
  `/deliveries?user_id=${id}`,
  '/deliveries?person=smsotp',
  '/users?user_type=admin',
  `/roles/${(await people.one<{ id: number }>(`select id from admin_role where name = 'Finance'`)).id}`,
];
const shows = (text: string) => [
  ...[PHONE, '5550177', '555-0177', ADDRESS, MAILBOX, 'Hannelore', OTHER, 'By text message', 'No devices get'].filter((secret) =>
    text.includes(secret),
  ),
  // These are the addresses of everyone except the readers.
  ...new Set(text.match(/\b(?!viewer@|root@)[\w.+-]+@demo\.test/g)),
];

test('[SHOWN-3] an admin who may not view people sees no address, number, sign-in, or recipient, on any page', async () => {
  const seen = new Map<string, string[]>();
  for (const path of paths) {
    const full = await root.get(path);
    seen.set(path, full.status === 200 ? shows(full.text) : []);
    const page = await viewer.get(path);
    assert.deepEqual(shows(page.text), [], path);
  }
  // A reader who may view people sees each of them on the pages that are about it.
  assert.deepEqual(seen.get(`/users/${id}`), [
    PHONE,
    '5550177',
    ADDRESS,
    'By text message',
    'No devices get',
    'smsotp@demo.test',
  ]);
  for (const path of [
    `/deliveries/${deliveries[0]?.id}`,
    `/deliveries/${deliveries[1]?.id}`,
    `/deliveries/${deliveries[2]?.id}`,
    '/deliveries',
    '/deliveries/suppressions',
  ])
    assert.ok((seen.get(path)?.length ?? 0) > 0, path);
  assert.match((await viewer.get(`/users/${id}`)).text, /Hidden for your role/);
});

test('[SHOWN-3] a search finds no one by what the reader may not see', async () => {
  const finds = async (who: typeof viewer, path: string, words: RegExp) => words.test((await who.get(path)).text);
  const rows = [
    ['/users?q=smsotp', /href="\/users\/\d+"/],
    ['/users?q=smsotp@demo.test', /href="\/users\/\d+"/],
    ['/cases?q=parent2%40demo', /href="\/cases\/1"/],
  ] as const;
  // The viewer joins the team of a case, so that the search has something to find.
  await pool.query(
    `insert into case_admin (case_id, user_id) select 1, id from user_account where email_address = 'viewer@demo.test'`,
  );
  for (const [path, words] of rows) {
    assert.equal(await finds(root, path, words), true, `${path}, with the permission`);
    assert.equal(await finds(viewer, path, words), false, path);
  }
  for (const permission of ['view_users', 'edit_users'] as const) {
    await grant(pool, 'viewer', permission);
    for (const [path, words] of rows) assert.equal(await finds(viewer, path, words), true, `${path} with ${permission} only`);
    await pool.query(
      `delete from admin_role_permission where permission = $1
          and admin_role_id = (select admin_role_id from user_account where email_address = 'viewer@demo.test')`,
      [permission],
    );
  }
  assert.equal(await finds(viewer, '/cases?q=whitlock', /href="\/cases\/1"/), true, 'by name');
  assert.equal(await finds(viewer, '/users?q=whitlock', /href="\/users\/\d+"/), true, 'by name');
  // A filter by person must not change the list, because that would reveal whose each delivery is.
  for (const query of [`user_id=${id}`, 'person=smsotp', `user_id=${await people.idOf('parent2')}`]) {
    const all = (await viewer.get('/deliveries')).text.match(/href="\/deliveries\/\d+"/g);
    assert.deepEqual((await viewer.get(`/deliveries?${query}`)).text.match(/href="\/deliveries\/\d+"/g), all, query);
  }
  assert.doesNotMatch((await viewer.get('/deliveries')).text, /name="person"/);
  assert.doesNotMatch((await viewer.get('/users')).text, /Last sign-in|Never signed in/);
  assert.match((await root.get('/users')).text, /Last sign-in/);
});

test('[SHOWN-3, SHOWN-6] no other permission reveals them, also not in the audit log or the explanation of access', async () => {
  const others = listCatalogue().flatMap(({ value }) => (/_users$/.test(value) ? [] : [value]));
  await grant(pool, 'viewer', ...others);
  for (const path of paths) assert.deepEqual(shows((await viewer.get(path)).text), [], path);
  for (const { id: entry, told } of entries) {
    const path = `/audit/${entry}`;
    assert.ok(shows((await root.get(path)).text).length > 0, `${told}, with the permission`);
    assert.deepEqual(shows((await viewer.get(path)).text), [], told);
    assert.match((await viewer.get(path)).text, /Hidden for your role/, told);
  }
  const explain = async (who: typeof viewer, person: string) => (await who.get(`/access?action=GET%20/&person=${person}`)).text;
  assert.match(await explain(root, 'smsotp@demo.test'), /Rohan Mehta can/);
  for (const unknown of ['smsotp@demo.test', '999999']) assert.match(await explain(viewer, unknown), /No one matches this name/);
  assert.match(await explain(viewer, String(id)), / can open the home page/);
  const found = async (who: typeof viewer) => (await who.get('/audit?who=smsotp@demo.test')).text.match(/href="\/audit\/\d+"/g);
  assert.equal((await found(root))?.length, 1);
  assert.deepEqual(await found(viewer), (await viewer.get('/audit')).text.match(/href="\/audit\/\d+"/g));
  await pool.query(
    `delete from admin_role_permission where admin_role_id = (select admin_role_id from user_account where email_address = 'viewer@demo.test')`,
  );
});

test('[SHOWN-3] an admin who may view deliveries, but not people, sees and lifts suppressions without an address', async () => {
  await grant(pool, 'viewer', 'view_deliveries');
  for (const path of paths) assert.deepEqual(shows((await viewer.get(path)).text), [], path);
  assert.match((await viewer.get('/deliveries/suppressions')).text, /Send there again\?/);
});
