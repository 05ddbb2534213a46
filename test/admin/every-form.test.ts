import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { CASE_1, CASE_2, CAST, type CastName } from '../support/cast.ts';
import { grant } from '../support/grant.ts';
import { listCalls } from '../support/listed-calls.ts';
import { asBank, BANK, bringTo } from '../support/money.ts';
import { returnFile } from '../support/return-file.ts';
import { openDesk } from './batches/batches-desk.ts';
import type { Page, Visitor } from './start-admin.ts';

/**
 * Every form of the staff application with a different value in each field. every-form.txt lists where each one leads and which
 * values it writes into which column, also into the audit log and the queue, so a field or id that is swapped or lost fails here.
 */

const { api, admin, surrogate, parent, root, finance, escrow, viewer, putAccount, approved } = await openDesk({
  now: () => new Date(),
});
await grant(api.pool, 'finance', 'make_payments');
await grant(api.pool, 'finance', 'view_all_cases');
await putAccount(surrogate);
await api.pool.query('update payee_bank_account set usable_from = created_at');
const calls = await listCalls(api, new URL('every-form.txt', import.meta.url), {
  books: /^[+-]? ?(admin_session|call_count|throttle|idempotency_key) /,
});
const visitors = new Map<Visitor, string>([
  [root, 'root'],
  [finance, 'finance'],
  [escrow, 'escrow'],
  [viewer, 'viewer'],
]);
const idOf = async (statement: string): Promise<number> => Number((await api.pool.query(statement)).rows[0]?.id);
const newest = (table: string): Promise<number> => idOf(`select max(id) as id from ${table}`);
const idOfPerson = (name: CastName): Promise<number> =>
  idOf(`select id from user_account where email_address = '${CAST[name].email_address}'`);
const pathOf = ({ location }: Page) => (location ?? '').split(/[?#]/, 1)[0] ?? '';
const sent = new Set<string>();

type Fields = Record<string, string | string[]>;

/** Sends a form of a page, and compares where it leads and what it writes. */
async function fill(who: Visitor, pageOrPath: string, action: string, fields: Fields = {}): Promise<string> {
  const page = await who.get(pageOrPath);
  assert.equal(page.status, 200, pageOrPath);
  return compare(who, action, () => who.fill(page, action, fields));
}

const upload = (who: Visitor, path: string, fields: Fields, file: { name: string; type: string; content: Buffer }) =>
  compare(who, path, () => who.upload(path, fields, [file]));

async function compare(who: Visitor, action: string, work: () => Promise<Page>): Promise<string> {
  const route = admin.guardedRoutes.find(
    ({ method, url }) => method === 'POST' && new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`).test(action),
  );
  sent.add(route?.url ?? action);
  const title = `${visitors.get(who)} ${calls.write(action).slice(1, -1)}`;
  const page = await calls.compare(title, work, ({ status, location, text }) => [
    `${status} ${calls.write(location ?? problemIn(text))}`,
  ]);
  return pathOf(page);
}
const problemIn = (text: string) => /role="alert"[\s\S]*?<p>([^<]+)<\/p>/.exec(text)?.[1] ?? '';

/** Compares the links of a list, in their order. */
const list = (who: Visitor, path: string, link: RegExp) =>
  calls.compareRead(
    `${visitors.get(who)} GET ${calls.write(path).slice(1, -1)}`,
    () => who.get(path),
    ({ status, text }) => {
      const links = new Set([...text.matchAll(link)].map(([, href = '']) => calls.write(href)));
      return [`${status} ${[...links].join(', ') || 'none'}`];
    },
  );

test('[AUDIT-1] the forms about people, agencies, and roles write every field', async () => {
  const agency = await fill(root, '/agencies', '/agencies', { name: 'Harbor Agency' });
  await fill(root, agency, `${agency}/name`, { name: 'Harbor Surrogacy' });
  await fill(root, agency, `${agency}/keys`);
  const keyId = await newest('agency_api_key');
  await fill(root, agency, `${agency}/keys/${keyId}/revoke`);
  const role = await fill(root, '/roles', '/roles', { name: 'Readers' });
  await fill(root, role, `${role}/name`, { name: 'Careful readers' });
  await fill(root, role, `${role}/permissions`, { permissions: ['view_users', 'view_messages'] });
  const person = { email_address: 'new@demo.test', first_name: 'New', last_name: 'Person', phone: '+12025550171' };
  const agencyId = agency.split('/').at(-1) ?? '';
  const user = await fill(root, '/users/new', '/users', { ...person, user_type: 'cm', agency_id: agencyId, admin_role_id: '' });
  await fill(root, `${user}/edit`, user, {
    ...person,
    first_name: 'Newer',
    last_name: 'Name',
    phone: '+12025550172',
    agency_id: '1',
  });
  await api.pool.query(`update password_reset set created_at = created_at - interval '2 minutes'`);
  await fill(root, user, `${user}/resend-invitation`);
  await fill(root, user, `${user}/deactivate`);
  await fill(root, user, `${user}/reactivate`);
  const viewerId = await idOfPerson('viewer');
  await api.pool.query(`update user_account set two_factor_method = 'email' where id = $1`, [viewerId]);
  await fill(root, `/users/${viewerId}`, `/users/${viewerId}/reset-two-factor`);
});

test('[AUDIT-1] the forms about what two administrators decide write every field', async () => {
  const role = await fill(root, '/roles', '/roles', { name: 'Payers' });
  const roleId = Number(role.split('/').at(-1));
  const viewerId = await idOfPerson('viewer');
  await compare(root, `/users/${viewerId}/role`, () => root.giveRole(viewerId, roleId));
  await grant(api.pool, 'finance', 'manage_roles');
  for (const decision of ['refuse', 'confirm']) {
    await fill(root, role, `${role}/permissions`, { permissions: ['make_payments', 'view_drs'] });
    const id = await newest('role_grant');
    await fill(finance, '/roles', `/roles/grants/${id}/${decision}`);
  }
  const empty = await fill(root, '/roles', '/roles', { name: 'Nobody' });
  await fill(root, empty, `${empty}/delete`);
});

test('[AUDIT-1] the forms about a case write every field', async () => {
  const made = await fill(root, '/cases/new', '/cases', { name: 'Case of forms', agency_id: '1' });
  await fill(root, `${made}/edit`, `${made}/status`, { status: 'on_hold' });
  const edit = `/cases/${CASE_1}/edit`;
  const path = `/cases/${CASE_1}`;
  await fill(root, edit, path, { name: 'Case 1', agency_id: '1', approver_id: `${parent.userId}`, close_due_on: '2027-03-04' });
  const viewerId = await idOfPerson('viewer');
  const rootId = await idOfPerson('root');
  await fill(root, edit, `${path}/escrow-specialist`, { admin_id: `${rootId}` });
  await fill(root, edit, `${path}/team`, { admin_id: `${viewerId}` });
  await fill(root, edit, `${path}/team/${viewerId}/remove`);
  const repId = await idOfPerson('rep');
  await fill(root, edit, `${path}/people/${repId}/remove`);
  await fill(root, edit, `${path}/people`, { email_address: 'rep@demo.test', user_type: 'ip_rep' });
  const milestone = { kind: 'pregnancy_confirmed', happened_on: '2026-02-03', note: 'A note', funding_required: '1,234.56' };
  await fill(root, path, `${path}/milestones`, milestone);
  await fill(root, path, `${path}/benefits`, { category: 'Gifts', cap: '700.01', period: 'month', note: 'Flowers' });
  await fill(root, path, `${path}/benefits/change`, { category: 'Gifts', cap: '700.02', period: 'case', note: 'Cards' });
  await fill(root, path, `${path}/benefits/remove`, { category: 'Gifts' });
  const money = `${path}/money`;
  for (const [decision, amount] of [
    ['confirm', '10.01'],
    ['refuse', '10.02'],
  ] as const) {
    await fill(root, money, money, { kind: decision === 'confirm' ? 'deposit' : 'refund', amount, memo: `To ${decision}` });
    const id = await newest('cash_entry');
    await fill(finance, money, `${money}/${id}/${decision}`, decision === 'refuse' ? { reason: 'Not ours' } : {});
  }
  const plan = {
    category: 'Travel',
    description: 'A trip',
    amount: '12.34',
    due_date: '2027-04-05',
    payee_id: `${surrogate.userId}`,
  };
  await fill(root, money, `${path}/scheduled-payments`, plan);
  const line = await newest('scheduled_payment');
  await fill(root, money, `${path}/scheduled-payments/${line}/cancel`);
  const { body: proof } = await parent.post(`/api${path}/proofs`, { addressee: 'Green Clinic' });
  await fill(root, `${path}/proofs`, `${path}/proofs/${proof.id}/withdraw`);
  await fill(root, `/cases/${CASE_2}/edit`, `/cases/${CASE_2}/close`, { status: 'cancelled' });
  for (const query of ['?sort=name', '?sort=-name', '?status=active', '?status=cancelled', '?q=forms'])
    await list(root, `/cases${query}`, /href="(\/cases\/\d+)"/g);
});

test('[AUDIT-1] the forms about conversations write every field', async () => {
  const to = [`surrogate:${surrogate.userId}`, `ip:${parent.userId}`];
  const note = { name: 'plan.pdf', type: 'application/pdf', content: samplePdf('A plan') };
  const fields = { case_id: `${CASE_1}`, recipients: to, subject: 'A subject', message: 'First words' };
  const chain = await upload(root, '/messages', fields, note);
  await upload(root, chain, { message: 'More words' }, note);
  await surrogate.form(`/api${chain}`, { message: 'An answer' });
  await fill(root, chain, `${chain}/notes`, { note: 'A note' });
  await fill(root, chain, `${chain}/unread`);
  const rootId = await idOfPerson('root');
  const escrowId = await idOfPerson('escrow');
  await fill(root, chain, `${chain}/assign`, { admin_id: `${escrowId}` });
  await fill(root, chain, `${chain}/assign`, { admin_id: `${rootId}` });
  await fill(root, chain, `${chain}/people/${parent.userId}/remove`);
  const message = await idOf('select min(id) as id from message');
  await fill(root, chain, `${chain}/messages/${message}/retract`);
  await fill(root, chain, `${chain}/status`, { status: 'closed' });
});

test('[AUDIT-1] the forms about payments write every field', async () => {
  const bank = {
    bank_name: 'Second Bank',
    routing_number: '091000019',
    immediate_origin: '1123456789',
    company_name: 'Case Platform',
    company_id: '2123456789',
    entry_description: 'PAYMENT',
  };
  await fill(root, '/batches/bank', '/batches/bank', bank);
  const account = {
    holder_name: 'Sara Holder',
    routing_number: '021000021',
    account_number: '123456789',
    account_kind: 'savings',
  };
  await fill(root, `/bank-accounts/${parent.userId}`, `/bank-accounts/${parent.userId}`, account);
  const payee = `surrogate:${surrogate.userId}`;
  const ask = (amount: string) =>
    fill(root, `/cases/${CASE_1}/disbursements/new`, `/cases/${CASE_1}/disbursements`, {
      amount,
      category: 'Travel',
      description: `Ride ${amount}`,
      payee,
    });
  const [first, second, third] = [await ask('4.01'), await ask('4.02'), await ask('4.03')];
  await fill(root, `${first}/edit`, first, { amount: '4.04', category: 'Other', description: 'Another ride', payee });
  await fill(root, second, `${second}/cancel`);
  await fill(root, first, `${first}/submit`);
  await fill(root, third, `${third}/submit`);
  const waiting: string[] = [];
  for (const amount_cents of [408, 409])
    waiting.push(`/disbursements/${await bringTo(api, { maker: surrogate, checker: parent }, 'submitted', { amount_cents })}`);
  const [agreed = '', denied = ''] = waiting;
  await fill(root, agreed, `${agreed}/question`, { text: 'A question' });
  await fill(root, agreed, `${agreed}/alarm`, { text: 'Strange' });
  await fill(root, agreed, `${agreed}/clear-payments`, { reason: 'Checked by phone' });
  await fill(root, agreed, `${agreed}/approve`, { reason: 'Agreed' });
  await fill(root, denied, `${denied}/deny`, { reason: 'Not covered' });
  const ids = [
    await approved({ amount_cents: 501 }),
    await approved({ amount_cents: 502 }),
    await approved({ amount_cents: 503 }),
  ];
  const batch = await fill(finance, '/batches/new', '/batches', { disbursement_ids: ids.map(String) });
  await fill(finance, batch, `${batch}/remove`, { disbursement_id: `${ids[2]}` });
  await fill(root, batch, `${batch}/approve`);
  await fill(finance, batch, `${batch}/generate`);
  await fill(finance, batch, `${batch}/sign`);
  await fill(root, batch, `${batch}/sign`);
  await fill(root, batch, `${batch}/hand-out`);
  await fill(root, batch, `${batch}/outcome`, { outcome: 'accepted', note: 'On the phone' });
  await fill(root, batch, `${batch}/settle`, { before_bank_date: 'yes', reason: 'On the statement' });
  const other = await fill(finance, '/batches/new', '/batches', { disbursement_ids: [String(ids[2])] });
  await fill(finance, other, `${other}/cancel`, { reason: 'Entered twice' });
  const { rows } = await api.pool.query('select trace_number from banking_batch_entry where disbursement_id = $1', [ids[0]]);
  const text = returnFile([{ code: 'R01', trace: rows[0].trace_number, cents: 501 }]);
  for (const decision of ['refuse', 'confirm'] as const) {
    const file = { name: `${decision}.ach`, type: 'text/plain', content: Buffer.from(text) };
    const path = await upload(finance, '/batches/returns', {}, file);
    await fill(root, path, `${path}/${decision}`, decision === 'refuse' ? { reason: 'Of another bank' } : {});
  }
  await fill(root, `/disbursements/${ids[0]}`, `/disbursements/${ids[0]}/retry`, { reason: 'The bank was wrong' });
  await asBank(api, (tx) => Promise.resolve(BANK.return(tx, ids[1] ?? 0)));
  await fill(root, `/disbursements/${ids[1]}`, `/disbursements/${ids[1]}/end`, { reason: 'Paid by check' });
  for (const query of ['', '?status=ended', '?status=approved', `?case_id=${CASE_1}`, `?case_id=${CASE_2}`, '?show=all'])
    await list(root, `/disbursements${query}`, /href="(\/disbursements\/\d+)"/g);
  for (const query of ['', '?status=settled', '?status=cancelled'])
    await list(root, `/batches${query}`, /href="(\/batches\/\d+)"/g);
});

test('[AUDIT-1] the forms about one’s own account and about deliveries write every field', async () => {
  const anyone = admin.visitor();
  visitors.set(anyone, 'anyone');
  await list(anyone, '/login', /name="(\w+)"[^>]*\sautofocus/g);
  const PASSWORDS = { current_password: 'Demo-Passw0rd!', new_password: 'another long and careful password' };
  await fill(viewer, '/account/two-factor', '/account/two-factor', { method: 'email' });
  // Long after signing in, a method is turned on only after the identity is confirmed, but a code to turn it off can be sent.
  await api.pool.query(`update admin_session set confirmed_at = now() - interval '1 hour'`);
  await fill(viewer, '/account/two-factor', '/account/two-factor', { method: 'email' });
  await api.pool.query(`update user_account set two_factor_method = 'email' where id = $1`, [await idOfPerson('viewer')]);
  await compare(viewer, '/account/two-factor', () => viewer.post('/account/two-factor', { method: 'email' }));
  await api.pool.query(`update user_account set two_factor_method = null where id = $1`, [await idOfPerson('viewer')]);
  await api.pool.query('update admin_session set confirmed_at = now()');
  await admin.as('viewer');
  await fill(viewer, '/account', '/account/sessions/close-others');
  await fill(viewer, '/account', '/account/password', PASSWORDS);
  await api.pool.query(`update delivery set state = 'failed', retry_job = '{"delivery_id": 1}' where event = 'invitation'`);
  const delivery = await idOf(`select min(id) as id from delivery where event = 'invitation'`);
  await fill(root, `/deliveries/${delivery}`, `/deliveries/${delivery}/retry`);
  await api.pool.query(
    `insert into suppression (channel, address, reason, source) values ('email', 'gone@demo.test', 'bounced', 'sendgrid')`,
  );
  const suppression = await newest('suppression');
  await fill(root, '/deliveries/suppressions', `/deliveries/suppressions/${suppression}/lift`);
  for (const query of ['', '?channel=email', '?channel=sms', '?state=failed', '?event=invitation'])
    await list(root, `/deliveries${query}`, /href="(\/deliveries\/\d+)"/g);
  for (const query of ['', '?q=new', '?user_type=cm', '?status=active', '?status=invited'])
    await list(root, `/users${query}`, /href="(\/users\/\d+)"/g);
});

/** Forms of scripts, and forms that need a state of their own: what they write is compared elsewhere. */
const ELSEWHERE = [
  '/login',
  '/login/otp',
  '/login/otp/resend',
  '/logout',
  '/account/confirm',
  '/account/two-factor/confirm',
  '/account/two-factor/off',
  '/bank-accounts/:user_id/correction',
  '/batches/:batch_id/unblock',
  ...['upload-url', 'confirm', ':document_id/remove'].map((path) => `/cases/:case_id/documents/${path}`),
  '/cases/:case_id/account-changes/approve',
  '/deliveries/jobs/:job_id/retry',
  ...['upload-url', 'confirm', ':file_id/remove'].map((path) => `/disbursements/:disbursement_id/files/${path}`),
  '/messages/:chain_id/viewed',
  '/messages/:chain_id/writing',
];

test('[AUDIT-1] every form of the staff application is among these', () => {
  const forms = admin.guardedRoutes.filter(({ method }) => method === 'POST').map(({ url }) => url);
  assert.deepEqual(forms.filter((url) => !sent.has(url)).sort(), ELSEWHERE.toSorted());
});
