import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { findInBothLooks, WIDE } from '../support/accessibility.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { createTestDatabase, DEMO_TEMPLATE, demoFolder } from '../support/database.ts';
import { startStorage } from '../support/platform.ts';
import { returnFile } from '../support/return-file.ts';
import { takeIn } from './batches/batches-desk.ts';
import { startAdmin, type Visitor } from './start-admin.ts';

/** The first row of each kind in the demo. A page about another kind of thing needs a line here. */
const EXAMPLES: Record<string, string> = {
  agency_id: 'select min(id) as id from agency',
  batch_id: 'select min(id) as id from banking_batch',
  case_id: 'select min(id) as id from case_file',
  chain_id: 'select min(chain_id) as id from message_file f join message m on m.id = f.message_id',
  delivery_id: 'select min(id) as id from delivery',
  disbursement_id: 'select min(id) as id from disbursement_request',
  failed_delivery_id: `select min(id) as id from delivery where state = 'failed'`,
  entry_id: 'select min(id) as id from audit_entry',
  file_id: 'select min(id) as id from bank_return_file',
  role_id: `select id from admin_role where name = 'Finance'`,
  user_id: `select id from user_account where email_address = 'surrogate@demo.test'`,
};
/** Addresses with parameters, and states of pages that the demo does not show. */
const BESIDES = [
  '/nowhere',
  '/cases?q=nobody-of-this-name',
  '/messages?show=unread&q=nothing',
  '/deliveries?person=nobody-of-this-name',
  '/deliveries/:failed_delivery_id',
];
const SIGNING_IN = ['/login', '/login/otp'];

const [database, storage] = await Promise.all([createTestDatabase(DEMO_TEMPLATE), startStorage(demoFolder())]);
const admin = await startAdmin({ database, storage });
await fillUp();
const root = await admin.as('root');
await root.post('/agencies', { name: 'An agency for the audit log' });
await root.post('/cases/1/money', { kind: 'deposit', amount: '100', memo: 'Waits for a second person' });
await takeIn(root, returnFile([{ code: 'R01', trace: '091000010000001', cents: 100 }]));

const pages = admin.guardedRoutes
  .filter(({ method, guard, url }) => method === 'GET' && (guard.startsWith('pageGuard') || SIGNING_IN.includes(url)))
  .map(({ url }) => url);
const [staff, stranger] = [await openWindow(cookiesOf(root)), await openWindow([])];

for (const url of [...pages, ...BESIDES]) {
  test(`[PAGE-1] ${url}: axe-core finds no serious violation, wide and narrow, light and dark`, async () => {
    const address = admin.baseUrl + (await addressOf(url));
    const page = url === '/login' ? stranger : url === '/login/otp' ? await openHalfway() : staff;
    const answer = await page.goto(address);
    assert.equal(answer?.status(), url === '/nowhere' ? 404 : 200, 'the page is shown');
    assert.ok(SIGNING_IN.includes(url) || !page.url().includes('/login'), page.url());
    assert.deepEqual(await findInBothLooks(page), { wide: [], narrow: [] });
  });
}

/** Opens a window that is reused for all pages of a person, because opening a window costs more than loading a page. */
async function openWindow(cookies: Parameters<BrowserContext['addCookies']>[0]): Promise<Page> {
  const context = await openBrowser(WIDE);
  await context.addCookies(cookies);
  return openPage(context);
}

/** Opens a window at the code step. It is opened during its test, because the step ends after ten minutes. */
async function openHalfway(): Promise<Page> {
  const visitor = admin.visitor();
  await visitor.signIn('totp-admin@demo.test', 'Demo-Passw0rd!');
  return openWindow(cookiesOf(visitor));
}

async function addressOf(url: string): Promise<string> {
  let address = url;
  for (const [parameter = '', name = ''] of url.matchAll(/:(\w+)/g)) {
    const statement = EXAMPLES[name];
    if (statement === undefined) throw new Error(`There is no example of ${name}: give it a line in EXAMPLES.`);
    const { rows } = await admin.pool.query<{ id: string | null }>(statement);
    assert.ok(rows[0]?.id != null, `the demo holds something for ${name}`);
    address = address.replace(parameter, rows[0].id);
  }
  return address;
}

function cookiesOf({ cookies, baseUrl }: Visitor): Parameters<BrowserContext['addCookies']>[0] {
  return [...cookies].map(([name, value]) => ({
    name,
    value,
    url: name === 'case_session' ? baseUrl : `${baseUrl}/login`,
  }));
}

/** Adds content that the demo does not have. */
async function fillUp(): Promise<void> {
  const idOf = async (address: string) => {
    const { rows } = await admin.pool.query('select id from user_account where email_address = $1', [address]);
    return Number(rows[0]?.id);
  };
  // The reader is on every team, so that each page of a case shows everything.
  await admin.pool.query('insert into case_admin (case_id, user_id) select id, $1 from case_file on conflict do nothing', [
    await idOf('root@demo.test'),
  ]);
  await fillDeliveries(await idOf('parent@demo.test'));
}

/** Adds deliveries (one with kept content, and one in each other state), a suppressed address, and a job that gave up. */
async function fillDeliveries(userId = 0): Promise<void> {
  await admin.pool.query(
    `insert into delivery (delivery_key, channel, event, user_id, recipient, subject, state, attempts, content)
     values ('kept', 'email', 'two_factor_code', $1, 'parent@demo.test', 'Your code', 'sent', 1, $2)`,
    [userId, { html: '<html lang="en"><title>Your code</title><main>Your code is 123456</main></html>', text: 'Your code' }],
  );
  await admin.pool.query(
    `insert into delivery (delivery_key, channel, event, user_id, recipient, subject, state, attempts, error, retry_job)
     select state, channel, 'new_message', $1, recipient, 'New message', state, 12, error, job::jsonb
       from (values ('queued', 'push', 'updates.push.services.mozilla.com', 'The push service answered 503.', null),
                    ('failed', 'email', 'a-rather-long-address-of-somebody@mail.an-agency-with-a-long-name.test',
                     'SendGrid refused the mail (400).', '{}'),
                    ('suppressed', 'sms', '+12025550143', 'The address is on the suppression list: unsubscribed.', null))
              as sent (state, channel, recipient, error, job)`,
    [userId],
  );
  await admin.pool.query(
    `insert into suppression (channel, address, reason, source, detail)
     values ('email', 'a-rather-long-address-of-somebody@mail.an-agency-with-a-long-name.test', 'bounced', 'sendgrid',
             '550 5.1.1 The email account that you tried to reach does not exist.'),
            ('sms', '+12025550143', 'unsubscribed', 'twilio', '')`,
  );
  await admin.pool.query(
    `with dead as (select (graphile_worker.add_job('announce_message', '{"message_id":1}'::json, max_attempts := 1)).id)
     select from dead`,
  );
  await admin.pool.query(
    `update graphile_worker._private_jobs set attempts = 1, last_error = 'invalid input syntax for type bigint'
      where max_attempts = 1`,
  );
}
