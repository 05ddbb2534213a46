import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createSign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import type { EmailProvider } from '@case-platform/modules/notifications';
import stringify from 'json-stringify-pretty-compact';
import twilio from 'twilio';
import type { Example } from '../../../apps/api/docs/describe-for-readers.ts';
import { ERROR_CODES } from '../../../apps/api/docs/error-codes.ts';
import { firstCall } from '../../../apps/api/docs/first-call.ts';
import { samplePdf } from '../../../scripts/demo/sample-files.ts';
import { describeApi } from '../../../scripts/generate/api-description.ts';
import { CASE_1, CAST, DEMO_PASSWORD } from '../../support/cast.ts';
import { totpAt } from '../../support/codes.ts';
import { TEST_SECRETS } from '../../support/database.ts';
import { upload } from '../../support/direct-upload.ts';
import { EventReader } from '../../support/event-reader.ts';
import { SAMPLES } from '../../support/file-samples.ts';
import { bringTo, draft, fundCase } from '../../support/money.ts';
import { type Answer, type Client, startApi, TEST_REPORT_KEYS } from '../../support/platform.ts';

/**
 * The examples of the reference are answers of these calls. `UPDATE_EXAMPLES=1 npm test -- THIS FILE` records them
 * again; otherwise, what the calls answer now must have the shape of what is recorded. The linter of openapi.test.ts compares the
 * examples with their schemas.
 */

const FILE = new URL('../../../apps/api/docs/examples.json', import.meta.url);
const UPDATES = process.env.UPDATE_EXAMPLES === '1';
const recorded: Record<string, Example> = JSON.parse(await readFile(FILE, 'utf8'));
const { paths } = (await describeApi<Operation>()).description;
const operations = new Map<string, { method: string; path: string; schema: (status: number) => unknown }>();
for (const [path, methods] of Object.entries(paths)) {
  for (const [method, { operationId, responses }] of Object.entries(methods)) {
    const schema = (status: number) => responses[status]?.content?.['application/json']?.schema;
    operations.set(operationId, { method: method.toUpperCase(), path, schema });
  }
}
interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

let later = 0;
const api = await startApi({ now: () => new Date(Date.now() + later) });
await fundCase(api, CASE_1, 1_250_000);
const { surrogate, parent, root, escrow } = await api.everyone();
const current: Record<string, Example> = {};

/** Shortens lists and signatures, which would only make an example longer. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 300 ? `${value.slice(0, 60)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 2).map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]));
}

interface Given {
  /** The values of the path's parameters, in order, and its query. */
  at?: (number | string)[];
  query?: string;
  body?: unknown;
  form?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Makes a call, and notes it with its answer as the example of its operation. */
async function call(who: Client, operationId: string, { at = [], query = '', body, form, headers = {} }: Given = {}) {
  const operation = operations.get(operationId);
  assert.ok(operation, operationId);
  const values = [...at];
  const path = operation.path.replaceAll(/\{\w+\}/g, () => String(values.shift() ?? 1)) + query;
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer: Answer =
    form === undefined
      ? await who.call(operation.method, path, {
          headers: { ...type, ...headers },
          body: body === undefined ? null : JSON.stringify(body),
        })
      : await who.form(path, form);
  assert.ok(answer.status < 300, `${operationId}: ${answer.status} ${JSON.stringify(answer.body)}`);
  const schema = operation.schema(answer.status);
  current[operationId] = {
    path,
    ...(body === undefined ? {} : { body }),
    ...(form === undefined ? {} : { form }),
    status: answer.status,
    ...(schema === undefined ? {} : { response: shorten(answer.body) }),
  };
  return answer.body;
}

const SIGN_IN = { email_address: 'parent@demo.test', user_type: 'intended_parent', pass_hash: DEMO_PASSWORD };
const ASKED = { amount_cents: 4250, category: 'Travel', description: 'Taxi to the ultrasound on Monday' };
const KEY = { 'x-api-key': 'demo-agency-key-1-0123456789abcdef' };
const PICTURE = { filename: 'me.jpg', content_type: 'image/jpeg', size: 48_213 };
const RECEIPT = { filename: 'taxi.pdf', content_type: 'application/pdf', size: 20_480 };
const ENDPOINT = 'https://127.0.0.1/wpush/v2/demo';

async function signIn() {
  const { refresh_token } = await call(api.anonymous, 'login', { body: SIGN_IN });
  await call(api.anonymous, 'refreshAccessToken', { body: { refresh_token } });
  const { email_address, user_type } = SIGN_IN;
  await call(api.anonymous, 'requestPasswordReset', { body: { email_address, user_type } });
}

async function readProfile() {
  await call(parent, 'getProfile');
  await call(parent, 'updateProfile', { body: { timezone: 'America/Chicago' } });
  await call(parent, 'listSignIns');
  await call(parent, 'requestAddress', { body: { email_address: 'paige@example.com', pass_hash: DEMO_PASSWORD } });
  const account = { holder_name: 'Sarah Lindgren', account_kind: 'checking', routing_number: '021000021' };
  const body = { ...account, account_number: '4400123456', pass_hash: DEMO_PASSWORD };
  await call(surrogate, 'setBankAccount', { body });
  await call(surrogate, 'getBankAccount');
  await call(surrogate, 'listOwnPayments', { query: '?from=2026-01-01&to=2026-12-31' });
  await call(parent, 'beginProfilePicture', { body: PICTURE });
  await call(parent, 'beginPhotoId', { body: { ...PICTURE, filename: 'passport.jpg' } });
}

async function readCase() {
  await call(parent, 'getHome');
  await call(parent, 'listCases');
  for (const id of ['getCase', 'listPayees', 'getCaseProjection', 'listProofs']) {
    await call(id === 'listPayees' ? surrogate : parent, id);
  }
  const lists = ['listCaseTimeline', 'listCaseChains', 'listScheduledPayments', 'listCaseDisbursements', 'listCaseDocuments'];
  for (const id of [...lists, 'listDisbursements']) await call(parent, id, { query: '?limit=1' });
  await call(parent, 'getCaseStatement', { query: '?from=2026-09-01&to=2026-11-30' });
  const proof = await call(parent, 'issueProof', { body: { addressee: 'Lakeside Fertility Clinic' } });
  await call(api.anonymous, 'checkProofOfFunds', { at: [proof.code] });
  await call(parent, 'getProofFile', { at: [1, proof.id] });
  await call(parent, 'makeProofOfFunds');
  await call(parent, 'withdrawProof', { at: [1, proof.id] });
  const travel = { category: 'Travel', cap_cents: 150_000, period: 'month', note: 'Section 8: to appointments.' };
  const pay = { category: 'Base compensation', cap_cents: 3_600_000, period: 'case', note: 'Section 3: in eight parts.' };
  await call(root, 'setBenefits', { body: { data: [pay, travel] } });
  await call(parent, 'listBenefits');
  await call(root, 'beginCaseDocument', { body: { ...RECEIPT, filename: 'contract.pdf' } });
}

async function writeMessages() {
  await call(parent, 'listRecipients', { query: '?case_id=1' });
  const form = { message: 'When is the next scan?', subject: 'Appointments', case_id: '1' };
  const { chain } = await call(parent, 'startChain', { form });
  await call(escrow, 'reply', { at: [chain.id], form: { message: 'On Monday at ten.' } });
  await call(parent, 'countUnread');
  await call(parent, 'getChain', { at: [chain.id] });
  await call(parent, 'listChains', { query: '?limit=1' });
  await call(parent, 'markViewed', { at: [chain.id], body: {} });
  await call(parent, 'markUnread', { at: [chain.id] });
  await call(escrow, 'addNote', { at: [chain.id], body: { note: 'The clinic moved the scan.' } });
  await call(escrow, 'listNotes', { at: [chain.id] });
  await call(escrow, 'updateChain', { at: [chain.id], body: { status: 'closed' } });
  const { message } = await call(parent, 'reply', { at: [chain.id], form: { message: 'Thank you!' } });
  await call(parent, 'retractMessage', { at: [chain.id, message.id] });
}

async function askForMoney() {
  const created = () => call(surrogate, 'createDisbursement', { body: ASKED });
  const { id } = await created();
  await call(surrogate, 'updateDisbursement', { at: [id], body: { amount_cents: 4500 } });
  await call(surrogate, 'beginReceipt', { at: [id], body: RECEIPT });
  await call(surrogate, 'submitDisbursement', { at: [id] });
  const { version } = await call(parent, 'getDisbursement', { at: [id] });
  await call(parent, 'approveDisbursement', { at: [id], body: { version, undoable: true } });
  await call(parent, 'undoApproval', { at: [id] });
  await call(parent, 'askQuestion', { at: [id], body: { text: 'Was this the trip on Monday?' } });
  const again = await call(parent, 'getDisbursement', { at: [id] });
  await call(parent, 'denyDisbursement', { at: [id], body: { version: again.version, reason: 'The clinic paid the taxi.' } });
  const { id: another } = await created();
  const { chain } = (await surrogate.form('/api/messages', { message: 'About the taxi', case_id: '1' })).body;
  await call(surrogate, 'linkDisbursementChain', { at: [another], body: { chain_id: chain.id } });
  await call(surrogate, 'cancelDisbursement', { at: [another] });
}

async function notify() {
  await call(parent, 'getVapidKey');
  const keys = { p256dh: TEST_P256DH, auth: 'dGVzdC1hdXRoLWtleS0xMg' };
  const { subscription_id } = await call(parent, 'subscribe', { body: { enabled: true, endpoint: ENDPOINT, keys } });
  // Tests may register devices of this machine only.
  Object.assign(current.subscribe?.body as object, { endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/demo' });
  await call(parent, 'listSubscriptions');
  await call(parent, 'removeSubscription', { at: [subscription_id] });
  const { data } = await call(parent, 'getPreferences');
  const { event, channels } = data[0];
  const preferences = [{ event, channel: channels[0].channel, enabled: true }];
  await call(parent, 'setPreferences', { body: { preferences } });
  const happened = { id: 'visit-2026-118', type: 'visit_completed', case_id: 1, data: { week: 12 } };
  await call(api.anonymous, 'receiveAgencyEvent', { body: happened, headers: KEY });
}
const TEST_P256DH = 'BG-9NFA07rWa6R10tZ5-a3a0NZytAr89m4wJW_BadAYINgWZ_Sc1lMkGuQ4Yki5uJvFyMUeWqT7yBzvRVzBsAFU';

async function protectAccount() {
  const totp = CAST.totp;
  const begun = await api.anonymous.post('/api/user/auth/login', { ...totp, pass_hash: DEMO_PASSWORD });
  const code = totpAt(Date.now());
  await call(api.anonymous, 'verifyTotp', { body: { tfa_token: begun.body.tfa_token, code } });
  const { secret } = await call(parent, 'beginTwoFactor', { body: { method: 'app', pass_hash: DEMO_PASSWORD } });
  const confirmed = await call(parent, 'confirmTwoFactor', { body: { code: totpAt(Date.now(), secret) } });
  await call(parent, 'turnTwoFactorOff', { body: { backup_code: confirmed.backup_codes[0] } });
  await call(surrogate, 'changePassword', { body: { pass_hash: DEMO_PASSWORD, new_pass_hash: 'Harbour-Lantern-42' } });
}

async function sendFiles() {
  const file = { filename: 'taxi.pdf', content_type: 'application/pdf', content: samplePdf('Taxi, $42.50') };
  const { id } = await draft(surrogate);
  const file_key = await upload(surrogate, `/api/disbursements/${id}/files`, file);
  const { files } = await call(surrogate, 'confirmReceipt', { at: [id], body: { file_key } });
  await call(surrogate, 'removeReceipt', { at: [id, files[0].id] });
  const contract = await upload(root, '/api/cases/1/documents', { ...file, filename: 'contract.pdf' });
  const document = await call(root, 'confirmCaseDocument', { body: { file_key: contract } });
  await call(root, 'removeCaseDocument', { at: [1, document.id] });
  const photo = await upload(surrogate, '/api/user/me/photo-id', { ...file, filename: 'passport.pdf' });
  await call(surrogate, 'confirmPhotoId', { body: { file_key: photo } });
  const me = { filename: 'me.png', content_type: 'image/png', content: SAMPLES.png };
  const picture = await upload(surrogate, '/api/user/me/profile-picture', me);
  await call(surrogate, 'confirmProfilePicture', { body: { file_key: picture } });
  await call(surrogate, 'removeProfilePicture');
}

async function returnPayments() {
  const people = { maker: surrogate, checker: parent };
  const [first, second] = [await bringTo(api, people, 'returned', ASKED), await bringTo(api, people, 'returned', ASKED)];
  await call(escrow, 'endDisbursement', { at: [first], body: { reason: 'She was paid by check.' } });
  await call(escrow, 'retryDisbursement', { at: [second], body: { reason: 'The bank has cleared it.' } });
  const headers = { 'x-master-api-key': TEST_SECRETS.masterApiKey };
  const push = {
    user_type: 'surrogate',
    user_id: surrogate.userId,
    title: 'Paid',
    body: 'Your request was paid.',
    url: '/payments',
  };
  await call(api.anonymous, 'sendNotification', { body: push, headers });
}

/** Sends the queued mails. Returns the token of the link in the newest one to this address. */
async function tokenOfMail(to: string, pattern: RegExp): Promise<string> {
  const mails: Parameters<EmailProvider['send']>[0][] = [];
  await api.work({ email: { name: 'mailpit', send: async (mail) => `mail-${mails.push(mail)}` } });
  const tokens = mails.filter((mail) => mail.to === to).map((mail) => pattern.exec(JSON.stringify(mail))?.[1] ?? '');
  assert.ok(tokens.at(-1), JSON.stringify(mails));
  return tokens.at(-1) ?? '';
}

async function followLinks() {
  const { email_address, user_type } = CAST.rep;
  const rep = await api.as('rep');
  await api.anonymous.post('/api/user/auth/password-reset/request', { email_address, user_type });
  const body = { token: await tokenOfMail(email_address, /#token=([\w-]+)/), pass_hash: 'Harbour-Lantern-42' };
  await call(api.anonymous, 'confirmPasswordReset', { body });
  const address = 'rowan@example.com';
  await rep.post('/api/user/me/email', { email_address: address, pass_hash: body.pass_hash });
  await call(api.anonymous, 'confirmAddress', { body: { token: await tokenOfMail(address, /#token=([\w-]+)/) } });
  await parent.form('/api/messages', { message: 'x' });
  const query = `?token=${await tokenOfMail(CAST.escrow.email_address, /unsubscribe\?token=([\w.-]+)/)}`;
  await call(api.anonymous, 'askToUnsubscribe', { query });
  await call(api.anonymous, 'unsubscribe', { query });
}

async function receiveReports() {
  const event = {
    sg_event_id: 'nJ2pVw',
    email: 'paige@example.com',
    event: 'delivered',
    timestamp: 1_795_600_000,
    delivery_id: '1',
  };
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signed = createSign('sha256').update(timestamp + JSON.stringify([event]));
  const headers = {
    'x-twilio-email-event-webhook-signature': signed.sign(TEST_REPORT_KEYS.privateKey, 'base64'),
    'x-twilio-email-event-webhook-timestamp': timestamp,
  };
  await call(api.anonymous, 'receiveSendgridReports', { body: [event], headers });
  const form = { MessageSid: 'SM1', MessageStatus: 'delivered', To: '+12025550143' };
  const path = '/webhooks/twilio';
  const url = `${TEST_REPORT_KEYS.apiUrl}${path}`;
  const signature = twilio.getExpectedTwilioSignature(TEST_REPORT_KEYS.twilioAuthToken, url, form);
  const report = { headers: { 'x-twilio-signature': signature }, body: new URLSearchParams(form) };
  const { status } = await api.anonymous.call('POST', path, report);
  current.receiveTwilioReport = { path, status };
}

async function endSessions() {
  const path = '/api/messages/events';
  const stream = await EventReader.open(`${api.baseUrl}${path}`, { authorization: `Bearer ${parent.token}` });
  stream.close();
  current.followEvents = { path, status: stream.status };
  await call(parent, 'endWebSession', { headers: { 'x-web-session': 'e1b7c5d09f3a4c26' } });
  const begun = await api.anonymous.post('/api/user/auth/login', { ...CAST.mailotp, pass_hash: DEMO_PASSWORD });
  later = 61_000;
  await call(api.anonymous, 'resendOtp', { body: { tfa_token: begun.body.tfa_token } });
}

/**
 * Lists the places where two values differ in the names of fields or in types. Null and an empty list fit anything, because dates
 * and amounts depend on the day.
 */
function listDifferences(one: unknown, other: unknown, at = ''): string[] {
  if (one === null || other === null) return [];
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === 0 || other.length === 0 ? [] : listDifferences(one[0], other[0], `${at}[]`);
  }
  if (typeof one !== 'object' || typeof other !== 'object') return typeof one === typeof other ? [] : [at];
  const names = new Set([...Object.keys(one ?? {}), ...Object.keys(other ?? {})]);
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return [...names].flatMap((name) => listDifferences(left[name], right[name], `${at}.${name}`));
}

for (const story of [
  signIn,
  readProfile,
  readCase,
  writeMessages,
  askForMoney,
  notify,
  sendFiles,
  returnPayments,
  protectAccount,
  followLinks,
  receiveReports,
  endSessions,
]) {
  test(`[API-11] the examples of the reference are what the API answers: ${story.name}`, async () => {
    const before = new Set(Object.keys(current));
    await story();
    for (const [operationId, example] of Object.entries(current)) {
      if (before.has(operationId) || UPDATES) continue;
      const expected = recorded[operationId];
      const differences = listDifferences(expected, example);
      assert.deepEqual(differences, [], `${operationId} differs: run this file with UPDATE_EXAMPLES=1`);
    }
  });
}

test('[API-11] each operation has an example', () => {
  assert.deepEqual(Object.keys(current).toSorted(), [...operations.keys()].toSorted());
});

after(async () => {
  if (UPDATES) await writeFile(FILE, `${stringify(current, { maxLength: 500 })}\n`);
});

test('[API-10] the API greets browsers with a page and programs with JSON, and both learn where its reference is', async () => {
  for (const accept of [undefined, '*/*', 'application/json']) {
    const headers = accept === undefined ? {} : { accept };
    const { body } = await api.anonymous.call('GET', '/', { headers });
    const description = 'https://api.demo.test/openapi.json';
    assert.deepEqual(body, { name: 'Case Platform API', description, reference: 'https://api.demo.test/docs' });
  }
  const page = await api.anonymous.call('GET', '/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  assert.equal(page.headers.get('vary'), 'accept');
  assert.match(page.body, /href="\/docs"/);
});

test('[API-10, EDGE-4] the reference loads everything from this host, and nothing in it is inline', async () => {
  for (const path of ['/', '/docs']) {
    const { body, headers } = await api.anonymous.call('GET', path, { headers: { accept: 'text/html' } });
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe|https?:|\*/);
    assert.doesNotMatch(body, /<style|<script(?![^>]* src=)|\sstyle=|\son\w+=/);
    const files = [...body.matchAll(/(?:src|<link[^>]* href)="([^"]*)"/g)].map(([, file]) => file);
    assert.ok(files.length > 1);
    for (const file of files) {
      assert.match(file, /^\/docs\/[0-9a-f]{16}\/[\w.-]+$/);
      const answer = await api.anonymous.get(file);
      assert.deepEqual([answer.status, answer.headers.get('vary')], [200, 'accept-encoding'], file);
      assert.match(answer.headers.get('cache-control') ?? '', /immutable/);
      assert.equal((await api.anonymous.get(file.replace(/[0-9a-f]{16}/, '0'.repeat(16)))).status, 404);
    }
  }
});

test('[API-11] each code of a problem is in the reference, where its type leads', async () => {
  const { body: page } = await api.anonymous.get('/docs');
  for (const code of Object.keys(ERROR_CODES)) assert.ok(page.includes(`id="${code}"`), code);
  const { body } = await api.anonymous.get('/nowhere');
  assert.equal(body.type, 'https://api.demo.test/docs#not_found');
});

test('[API-11] every operation, field, and parameter is described, and has code in three languages', async () => {
  const { body } = await api.anonymous.get('/openapi.json');
  const silent: string[] = [];
  const visit = (owner: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, field] of Object.entries((value as { properties?: Record<string, Described> }).properties ?? {})) {
      if (field.$ref === undefined && !field.description) silent.push(`${owner}.${name}`);
    }
    for (const [name, inner] of Object.entries(value)) if (name !== 'example') visit(owner, inner);
  };
  for (const [name, schema] of Object.entries(body.components.schemas)) visit(name, schema);
  for (const operation of Object.values<object>(body.paths).flatMap((methods) => Object.values(methods))) {
    visit(operation.operationId, operation);
    for (const { name, description } of operation.parameters ?? [])
      if (!description) silent.push(`${operation.operationId}: ${name}`);
    if (!operation.summary) silent.push(operation.operationId);
    const tag = body.tags.find((one: { name: string }) => one.name === operation.tags?.[0]);
    if (!tag?.description) silent.push(`the tag ${operation.tags?.[0]}`);
    assert.deepEqual(
      operation['x-codeSamples'].map(({ lang }: { lang: string }) => lang),
      ['shell', 'typescript', 'python'],
    );
  }
  assert.deepEqual([...new Set(silent)], []);
});
interface Described {
  $ref?: string;
  description?: string;
}

test('[API-11] the code of the first call runs as it is', async () => {
  const source = firstCall(api.baseUrl, true).find(({ lang }) => lang === 'typescript')?.source ?? '';
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '--eval', source]);
  assert.match(stdout, /next_cursor: null/);
});

test('[API-10] the page of the reference sends the token of every answer that has one', async (t) => {
  let options: { responseInterceptor?: (answer: object) => object } = {};
  const authorized: string[][] = [];
  const parts: Record<string, unknown> = {
    document: { documentElement: { classList: { toggle() {} } }, getElementById: () => null },
    location: { origin: api.baseUrl },
    matchMedia: () => ({ matches: false, addEventListener() {} }),
    SwaggerUIBundle: (given: typeof options) => {
      options = given;
      return { preauthorizeApiKey: (...key: string[]) => void authorized.push(key) };
    },
    fetch: async () => Response.json({}),
  };
  const { fetch } = globalThis;
  Object.assign(globalThis, parts);
  t.after(() => {
    for (const name of Object.keys(parts)) if (name !== 'fetch') Reflect.deleteProperty(globalThis, name);
    globalThis.fetch = fetch;
  });
  await import('../../../apps/api/docs/reference.mjs');
  const expected: string[][] = [];
  for (const [operationId, { path, response }] of Object.entries(current)) {
    const hasToken = (response as { access_token?: string } | undefined)?.access_token !== undefined;
    const body = hasToken ? { ...(response as object), access_token: operationId } : response;
    options.responseInterceptor?.({ url: `${api.baseUrl}${path}`, body });
    if (hasToken) expected.push(['bearer', operationId]);
  }
  assert.deepEqual(authorized, expected);
  assert.ok(expected.length >= 3, 'sign-in, its second step, and a new token');
});
