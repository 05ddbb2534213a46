import assert from 'node:assert/strict';
import { createECDH, createHash } from 'node:crypto';
import { test } from 'node:test';
import { samplePdf, samplePng } from '../../../scripts/demo/sample-files.ts';
import { describeApi } from '../../../scripts/generate/api-description.ts';
import { CASE_1, CASE_2, DEMO_PASSWORD } from '../../support/cast.ts';
import { upload } from '../../support/direct-upload.ts';
import { listCalls } from '../../support/listed-calls.ts';
import { asBank, BANK, fundCase } from '../../support/money.ts';
import { type Answer, type Client, startApi } from '../../support/platform.ts';

/**
 * Every call of the API with a different value in each field, filter, and id. every-call.txt lists what each one answers and which
 * values it writes into which column, so a field that is swapped, lost, or read from the wrong place fails here.
 */

const api = await startApi();
const calls = await listCalls(api, new URL('every-call.txt', import.meta.url), {
  books: /^[+-]? ?(audit_entry|job|idempotency_key|call_count|throttle|delivery|sign_in) /,
});
await fundCase(api, CASE_1, 1_000_000);
await fundCase(api, CASE_2, 2_000_000);
// Nothing of these people and rows may appear in the answers to others.
await api.pool.query(`
  insert into case_participant (case_id, user_id, left_at)
   select 1, id, now() from user_account where email_address = 'both@demo.test' and user_type = 'ip';
  update case_participant p set position = 9 - position from user_account u where u.id = p.user_id and u.user_type = 'ip';
  update case_file set approver_id = (select id from user_account where email_address = 'parent@demo.test') where id = 1;
  update user_account set status = 'deactivated' where email_address = 'owner@demo.test'`);
const PEOPLE = ['parent', 'parent2', 'surrogate', 'manager', 'rep', 'bothSurrogate', 'escrow', 'root'] as const;
type Eight<One> = [One, One, One, One, One, One, One, One];
const clients = (await Promise.all(PEOPLE.map((name) => api.as(name)))) as Eight<Client>;
const [parent, parent2, surrogate, manager, rep, stranger, escrow, root] = clients;
const names = new Map<Client, string>(clients.map((client, at) => [client, PEOPLE[at] ?? '']));

const { paths } = (await describeApi<Operation>()).description;
interface Operation {
  parameters?: { in: string; name: string }[];
}
/** The calls and query parameters that were made, such as `GET /api/cases ?status`. */
const made = new Set<string>();

/** Values that depend on the time of the test, or are secrets. */
const UNSTABLE: Record<string, string> = {
  version: 'VERSION',
  access_token: 'TOKEN',
  refresh_token: 'TOKEN',
  next_cursor: 'CURSOR',
  url_expires_at: 'TIME',
  decide_by: 'TIME',
  arrives: 'ARRIVAL',
};

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, one !== null && name in UNSTABLE ? UNSTABLE[name] : plain(one)]),
  );
};
const inWords = (value: unknown) =>
  calls
    .write(value)
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/[^"?]*(\?[^"]*)?/g, 'URL')
    .replaceAll(/[0-9A-Z]{4}(-[0-9A-Z]{1,4}){7,}/g, 'CODE');

/** The lines of earlier answers. */
const written = new Set<string>();
const newLines = (lines: string[]): string[] =>
  lines.filter((line) => {
    const isNew = !written.has(line);
    written.add(line);
    return isNew;
  });

/** Writes an answer: one line for its fields, and one for each item of a list. Items of earlier answers are only named. */
function writeAnswer({ status, headers, body }: Answer): string[] {
  if (typeof body !== 'object') return [`${status}`, ...writeFile(headers, String(body))];
  const entries = Object.entries(plain(body) as object);
  const fields = entries.map(([name, value]) =>
    Array.isArray(value) ? `${name}: ${value.map(nameOf).join(', ') || 'none'}` : `${name}: ${inWords(value)}`,
  );
  const items = entries.flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((item) => `  ${name}: ${inWords(item)}`) : [],
  );
  const shape = Object.keys(body).join();
  const previous = answers.get(shape) ?? [];
  answers.set(shape, fields);
  return [[status, ...fields.filter((field) => !previous.includes(field))].join('; '), ...newLines(items)];
}
/** The last answer of each shape. Fields that are the same in the next one are left out. */
const answers = new Map<string, string[]>();
/** Writes the type and name of a file, the size of its paper, and the lines of a table. */
function writeFile(headers: Headers, body: string): string[] {
  const [type = '', name = ''] = ['content-type', 'content-disposition'].map((header) => headers.get(header) ?? '');
  const paper = /\/MediaBox \[[^\]]*\]/.exec(body)?.[0] ?? '';
  const lines = /csv/.test(type) ? body.trim().split(/\r?\n/) : [];
  return [type, name, paper, ...lines].filter((line) => line !== '').map((line) => `  ${inWords(line)}`);
}
const nameOf = (item: unknown) => calls.write(Object.values(item as object)[0]);

interface Sent {
  json?: unknown;
  form?: Record<string, string>;
  headers?: Record<string, string>;
}

const send = (who: Client, method: string, path: string, { json, form, headers = {} }: Sent): Promise<Answer> => {
  if (form !== undefined) return who.form(path, form);
  if (json === undefined) return who.call(method, path, { headers });
  return who.call(method, path, { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(json) });
};

/** The operation of a path, such as `/api/cases/{id}`. */
const operationOf = (method: string, path: string): string =>
  Object.entries(paths).find(
    ([template, methods]) =>
      method.toLowerCase() in methods && new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )?.[0] ?? '';

/** Makes a call, and compares its answer and the rows that it writes. Returns the body of the answer. */
async function call(who: Client, method: string, path: string, input: Sent = {}): Promise<Answer['body']> {
  const { pathname, searchParams } = new URL(path, api.baseUrl);
  const operation = `${method} ${operationOf(method, pathname)}`;
  for (const name of ['', ...searchParams.keys()]) made.add(name === '' ? operation : `${operation} ?${name}`);
  const title = `${names.get(who) ?? 'anyone'} ${method} ${decodeURIComponent(inWords(path)).slice(1, -1)}`;
  const cursor = /(?<=cursor=)[^&]*/;
  const compare = method === 'GET' ? calls.compareRead : calls.compare;
  const answer = await compare(title.replace(cursor, 'CURSOR'), () => send(who, method, path, input), writeAnswer);
  return answer.body;
}

const get = (who: Client, path: string) => call(who, 'GET', path);
const post = (who: Client, path: string, json?: unknown) => call(who, 'POST', path, { json });
const put = (who: Client, path: string, json: unknown) => call(who, 'PUT', path, { json });
const patch = (who: Client, path: string, json: unknown) => call(who, 'PATCH', path, { json });
const remove = (who: Client, path: string) => call(who, 'DELETE', path);
const write = (who: Client, path: string, form: Record<string, string>) => call(who, 'POST', path, { form });
/** Reads a list, then its first page of one item and the next page. */
async function pages(who: Client, path: string): Promise<Answer['body']> {
  const whole = await get(who, path);
  const limited = `${path}${path.includes('?') ? '&' : '?'}limit=1`;
  const { next_cursor, messages } = await get(who, limited);
  await get(who, `${limited}&cursor=${next_cursor ?? messages.next_cursor}`);
  return whole;
}
async function confirm(who: Client, path: string, filename: string): Promise<Answer['body']> {
  const file = filename.endsWith('.pdf')
    ? { content_type: 'application/pdf', content: samplePdf(filename) }
    : { content_type: 'image/png', content: samplePng() };
  return post(who, `${path}/confirm`, { file_key: await upload(who, path, { filename, ...file }) });
}

const PASSWORD = { pass_hash: DEMO_PASSWORD };
const recipient = (who: Client, user_type: string) => ({ user_id: who.userId, user_type });

test('[API-5] each call about oneself takes and returns every field', async () => {
  const me = '/api/user/me';
  await patch(surrogate, me, {
    first_name: 'Sara',
    last_name: 'Linden',
    phone: '+12025550177',
    timezone: 'America/Denver',
    ...PASSWORD,
  });
  await get(surrogate, me);
  const bank = { holder_name: 'Sara Holder', routing_number: '021000021', account_number: '123456789', account_kind: 'savings' };
  await put(surrogate, `${me}/bank-account`, { ...bank, ...PASSWORD, preview: true });
  await put(surrogate, `${me}/bank-account`, { ...bank, ...PASSWORD, resubmit: true });
  await put(surrogate, `${me}/bank-account`, { ...bank, account_number: '123450000', ...PASSWORD });
  await put(manager, `${me}/bank-account`, { ...bank, account_number: '123451111', ...PASSWORD });
  await get(surrogate, `${me}/bank-account`);
  await post(manager, `${me}/email`, { email_address: 'new-manager@demo.test', ...PASSWORD });
  await get(manager, me);
  await post(manager, `${me}/two-factor`, { method: 'email', ...PASSWORD });
  await confirm(parent, `${me}/profile-picture`, 'face.png');
  await confirm(parent2, `${me}/photo-id`, 'passport.png');
  await get(parent, me);
  await get(parent2, me);
  await remove(parent, `${me}/profile-picture`);
  const json = { email_address: 'parent@demo.test', user_type: 'intended_parent', ...PASSWORD };
  for (const browser of ['A browser', 'Another browser']) {
    const { refresh_token } = await call(api.anonymous, 'POST', '/api/user/auth/login', {
      json,
      headers: { 'user-agent': browser },
    });
    await post(api.anonymous, '/api/user/auth/refresh', { refresh_token });
  }
  await get(parent, `${me}/sign-ins`);
  await get(parent2, `${me}/sign-ins`);
  await post(parent2, `${me}/password`, { ...PASSWORD, new_pass_hash: 'another long and careful password' });
});

test('[API-5] each call about notifications takes and returns every field', async () => {
  for (const [device, who] of [
    ['desk', parent],
    ['phone', parent],
    ['tablet', surrogate],
  ] as const) {
    const auth = Buffer.from(device.padEnd(16, '.')).toString('base64url');
    const keys = { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth };
    const json = { enabled: true, endpoint: `http://127.0.0.1/${device}`, keys };
    await call(who, 'POST', '/api/notifications/subscribe', { json, headers: { 'user-agent': device } });
  }
  await get(parent, '/api/notifications/vapid-key');
  const current = createHash('sha256').update('http://127.0.0.1/desk').digest('hex');
  const { data } = await get(parent, `/api/notifications/subscriptions?current=${current}`);
  await remove(parent, `/api/notifications/subscriptions/${data[0].id}`);
  const choices = [
    { event: 'new_message', channel: 'push', enabled: false },
    { event: 'disbursement_approved', channel: 'email', enabled: false },
    { event: 'disbursement_denied', channel: 'push', enabled: true },
  ];
  await put(parent, '/api/notifications/preferences', { preferences: choices });
  await put(parent2, '/api/notifications/preferences', {
    preferences: [{ event: 'payment_ended', channel: 'push', enabled: false }],
  });
  await get(parent, '/api/notifications/preferences');
});

test('[API-5, API-1] each call about conversations takes and returns every field, and each filter and page counts', async () => {
  const recipients = JSON.stringify([recipient(surrogate, 'surrogate'), recipient(manager, 'case_manager')]);
  const { chain } = await write(parent, '/api/messages', {
    message: 'First words',
    subject: 'A subject',
    case_id: '1',
    recipients,
  });
  const { chain: other } = await write(stranger, '/api/messages', { message: 'Other words', subject: 'Elsewhere', case_id: '2' });
  const { chain: third } = await write(parent, '/api/messages', { message: 'Third words', subject: 'Third', case_id: '1' });
  const { message: reply } = await write(surrogate, `/api/messages/${chain.id}`, { message: 'A reply' });
  await write(manager, `/api/messages/${chain.id}`, { message: 'Another reply' });
  await get(parent, '/api/messages/unread/count');
  await post(parent, `/api/messages/${chain.id}/viewed`, { up_to_message_id: reply.id });
  await get(parent, '/api/messages/unread/count');
  await post(surrogate, `/api/messages/${chain.id}/viewed`);
  await post(surrogate, `/api/messages/${chain.id}/unread`);
  await post(escrow, `/api/messages/${third.id}/notes`, { note: 'A note' });
  await post(escrow, `/api/messages/${third.id}/notes`, { note: 'A second note' });
  await post(escrow, `/api/messages/${chain.id}/notes`, { note: 'A note elsewhere' });
  await get(escrow, `/api/messages/${third.id}/notes`);
  await patch(escrow, `/api/messages/${third.id}`, { assigned_admin_id: root.userId });
  await patch(escrow, `/api/messages/${other.id}`, { status: 'closed' });
  await post(escrow, `/api/messages/${other.id}/viewed`);
  await pages(escrow, '/api/messages');
  for (const filter of [
    'case_id=1',
    'case_id=2',
    'unread=true',
    'unread=false',
    'q=words',
    'q=another',
    'status=open',
    'status=closed',
  ])
    await get(escrow, `/api/messages?${filter}`);
  await pages(escrow, '/api/cases/1/messages');
  for (const status of ['open', 'closed']) await get(escrow, `/api/cases/2/messages?status=${status}`);
  await get(parent, '/api/messages/recipients?case_id=1');
  await pages(parent, `/api/messages/${chain.id}`);
  // Only staff retract messages.
  await remove(surrogate, `/api/messages/${chain.id}/${reply.id}`);
  await get(parent, `/api/messages/${chain.id}`);
});

test('[API-5, API-1] each call about requests takes and returns every field, and each filter and page counts', async () => {
  const { rows } = await api.pool.query<{ id: string }>(
    `insert into scheduled_payment (case_id, category, description, due_date, amount_cents, payee_id)
     select 1, 'Travel', 'Planned ' || n, current_date + 400 + n, 1000 + n, $1 from generate_series(1, 3) n returning id`,
    [surrogate.userId],
  );
  const travel = { category: 'Travel', cap_cents: 9_001, period: 'month', note: 'A note', compensation: false };
  const gifts = { category: 'Gifts', cap_cents: 9_002, period: 'case', note: 'Another note', compensation: true };
  await put(root, '/api/cases/1/benefits', { data: [travel, gifts] });
  await get(parent, '/api/cases/1/benefits');
  await get(parent, '/api/cases/1/payees');
  const requests = '/api/cases/1/disbursements';
  const ask = async (amount_cents: number, fields: object = {}, who = surrogate) =>
    (await post(who, requests, { amount_cents, category: 'Travel', description: `Ride ${amount_cents}`, ...fields })).id;
  const payee = recipient(surrogate, 'surrogate');
  const claim = await ask(401, { payee, scheduled_payment_id: Number(rows[0]?.id) });
  const denied = await ask(402, { category: 'Gifts', payee: recipient(parent, 'intended_parent') }, manager);
  const over = await ask(9_999);
  const of = (id: number) => `/api/disbursements/${id}`;
  await patch(manager, of(denied), { amount_cents: 403, category: 'Travel', description: 'Another ride', payee });
  await confirm(manager, `${of(denied)}/files`, 'one.pdf');
  await confirm(manager, `${of(denied)}/files`, 'two.pdf');
  const { files } = await get(manager, of(denied));
  await remove(manager, `${of(denied)}/files/${files[0].id}`);
  const { chain } = await write(manager, '/api/messages', { message: 'About money', case_id: '1' });
  await put(manager, `${of(denied)}/chain`, { chain_id: chain.id });
  await post(manager, `${of(denied)}/submit`);
  for (const id of [claim, over]) await post(surrogate, `${of(id)}/submit`);
  const approve = async (id: number, fields: object = {}) => {
    const { version, payee_account } = (await parent.get(of(id))).body;
    return post(parent, `${of(id)}/approve`, { version, account_seen: payee_account.version, reason: 'Agreed', ...fields });
  };
  await post(parent, `${of(claim)}/question`, { text: 'A question' });
  await approve(over, { over_by_cents: 9_999 + 401 + 403 - 9_001 });
  const { version } = (await parent.get(of(denied))).body;
  await post(parent, `${of(denied)}/deny`, { version, reason: 'Not covered' });
  await post(surrogate, `${of(await ask(404))}/cancel`);
  await returnAndRepeat(of, ask, approve);
  await post(parent, `${of(claim)}/question`, { text: 'Strange', alarm: true });
  await get(parent, of(claim));
  for (const who of [root, parent]) {
    await pages(who, '/api/disbursements');
    for (const filter of ['case_id=1', 'case_id=2', 'waiting_for_me=true', 'status=denied', 'status=approved,ended', 'q=%244.04'])
      await get(who, `/api/disbursements?${filter}`);
  }
  await pages(parent, requests);
  for (const status of ['submitted', 'denied,cancelled']) await get(parent, `${requests}?status=${status}`);
});

/** Two requests come back from the bank: one is paid again, and the other one ends. */
async function returnAndRepeat(
  of: (id: number) => string,
  ask: (amount_cents: number, fields?: object) => Promise<number>,
  approve: (id: number) => Promise<Answer['body']>,
): Promise<void> {
  const ids = [await ask(405), await ask(406)] as const;
  for (const id of ids) {
    await surrogate.post(`${of(id)}/submit`);
    await approve(id);
    for (const step of [BANK.batch, BANK.pay, BANK.return]) await asBank(api, (tx) => Promise.resolve(step(tx, id)));
  }
  await get(surrogate, of(ids[0]));
  await post(root, `${of(ids[0])}/retry`, { reason: 'Checked by phone' });
  await post(root, `${of(ids[1])}/end`, { reason: 'Paid by check' });
}

test('[API-5, API-1] each call about cases returns every field, and each filter, page, and period counts', async () => {
  await pages(root, '/api/cases?sort=name');
  for (const filter of ['status=active', 'status=closed', 'q=case%202', 'sort=-name', 'overview=true'])
    await get(root, `/api/cases?${filter}`);
  await get(parent, '/api/cases/1');
  for (const name of ['contract.pdf', 'insurance.pdf']) await confirm(escrow, '/api/cases/1/documents', name);
  const { data } = await pages(parent, '/api/cases/1/documents');
  await remove(escrow, `/api/cases/1/documents/${data[1].id}`);
  await pages(parent, '/api/cases/1/scheduled-payments');
  for (const category of ['Travel', 'Gifts']) await get(parent, `/api/cases/1/scheduled-payments?category=${category}`);
  await pages(parent, '/api/cases/1/timeline');
  for (const kind of ['money', 'message']) await get(parent, `/api/cases/1/timeline?kind=${kind}`);
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const now = `from=${day(-2)}&to=${day(2)}`;
  for (const query of ['from=2020-01-01&to=2020-02-01', now, `${now}&format=csv`, `${now}&format=pdf&paper=a4`]) {
    await get(parent, `/api/cases/1/statement?${query}`);
    await get(surrogate, `/api/user/me/payments?${query}`);
  }
  await get(parent, '/api/cases/1/projection?months=2');
  await get(parent, '/api/cases/1/proof-of-funds?paper=letter');
  await post(parent, '/api/cases/1/proofs', { addressee: 'Green Clinic' });
  const { data: proofs } = (await parent.get('/api/cases/1/proofs')).body;
  const old = `insert into proof_of_funds (case_id, amount_cents, made_at, addressee, issued_by)
               values ($1, 1, now() - interval '1 year', 'Long ago', $2)`;
  await api.pool.query(old, [CASE_1, parent.userId]);
  await get(parent, '/api/cases/1/proofs');
  await get(parent, `/api/cases/1/proofs/${proofs[0].id}/file?paper=a4`);
  await get(api.anonymous, `/api/proof/${proofs[0].code}`);
  await post(root, `/api/cases/1/proofs/${proofs[0].id}/withdraw`);
  for (const who of [parent, surrogate, rep, manager]) await get(who, '/api/home');
});

test('[API-5] an agency’s event is stored with every field', () =>
  call(api.anonymous, 'POST', '/webhook', {
    json: { id: 'event-7', type: 'case.updated', case_id: 1, data: { field: 'value' } },
    headers: { 'x-api-key': 'demo-agency-key-1-0123456789abcdef' },
  }));

/** Their answers are compared elsewhere. */
const ELSEWHERE = [
  'DELETE /api/user/me/two-factor',
  'DELETE /api/user/me/web-session',
  'GET /api/messages/events',
  'GET /api/messages/events ?page_age',
  'GET /api/notifications/unsubscribe',
  'GET /api/notifications/unsubscribe ?token',
  'POST /api/disbursements/{id}/undo-approval',
  'POST /api/notifications/unsubscribe',
  'POST /api/notifications/unsubscribe ?token',
  'POST /api/user/auth/address/confirm',
  'POST /api/user/auth/password-reset/confirm',
  'POST /api/user/auth/password-reset/request',
  'POST /api/user/auth/resend-otp',
  'POST /api/user/auth/verify-totp',
  'POST /api/user/me/two-factor/confirm',
  'POST /internal/notification/send',
  'POST /webhooks/sendgrid',
  'POST /webhooks/twilio',
];

test('[API-5] every call of the API, and every parameter of it, is among these', () => {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [] }]) => {
      const names = parameters.filter((one) => one.in === 'query').map(({ name }) => ` ?${name}`);
      return ['', ...names].map((name) => `${method.toUpperCase()} ${path}${name}`);
    }),
  );
  const missing = all.filter((one) => !made.has(one) && !/ \/api\/user\/me\/.*upload-url| \/.*upload-url$/.test(one));
  assert.deepEqual(missing.sort(), ELSEWHERE.toSorted());
});
