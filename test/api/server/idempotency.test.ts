import assert from 'node:assert/strict';
import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { samplePdf, samplePng } from '../../../scripts/demo/sample-files.ts';
import { describeApi } from '../../../scripts/generate/api-description.ts';
import { CASE_1 } from '../../support/cast.ts';
import { TEST_SECRETS } from '../../support/database.ts';
import { upload } from '../../support/direct-upload.ts';
import { bringTo, draft, fundCase } from '../../support/money.ts';
import { type Answer, type Client, startApi } from '../../support/platform.ts';

/** Every POST of the API, from its own description: those that create take an `Idempotency-Key`, and the others have a reason. */

const api = await startApi();
const [parent, surrogate, escrow] = [await api.as('parent'), await api.as('surrogate'), await api.as('escrow')];
const device = createECDH('prime256v1');
const KEYS = { p256dh: device.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };

const PDF = { filename: 'receipt.pdf', content_type: 'application/pdf', content: samplePdf('Receipt') };
const PNG = { filename: 'me.png', content_type: 'image/png', content: samplePng() };

interface Operation {
  parameters?: { in: string; name: string }[];
}
const { paths } = (await describeApi<Operation>()).description;
const posts = Object.entries(paths).flatMap(([path, { post }]) => (post === undefined ? [] : [{ path, post }]));
const takesKey = ({ parameters = [] }: Operation) =>
  parameters.some(({ in: place, name }) => place === 'header' && name.toLowerCase() === 'idempotency-key');

const MOVES = 'moves something to a state that it then has; a second time changes nothing or is a 409';
const SIGNING_IN = 'no one is signed in to whom a key could belong, and only a proof is created';
const PERMIT = 'a permission to upload, which ends by itself after five minutes; the file counts once it is confirmed';
const NAMED = 'names what it tells: the same event is taken once';

/** Calls that create nothing, or nothing that belongs to a user, with the reason. */
const WITHOUT_KEY: Record<string, string> = {
  '/api/user/auth/login': SIGNING_IN,
  '/api/user/auth/verify-totp': SIGNING_IN,
  '/api/user/auth/resend-otp': SIGNING_IN,
  '/api/user/auth/refresh': SIGNING_IN,
  '/api/user/auth/password-reset/request': SIGNING_IN,
  '/api/user/auth/password-reset/confirm': SIGNING_IN,
  '/api/user/auth/address/confirm': SIGNING_IN,
  '/api/user/me/password': MOVES,
  '/api/user/me/email': 'sends a link, which takes the place of the one before',
  '/api/user/me/two-factor': 'begins a challenge, which takes the place of the one before',
  '/api/user/me/two-factor/confirm': MOVES,
  '/api/user/me/profile-picture/upload-url': PERMIT,
  '/api/user/me/photo-id/upload-url': PERMIT,
  '/api/disbursements/{id}/files/upload-url': PERMIT,
  '/api/cases/{id}/documents/upload-url': PERMIT,
  '/api/messages/{chain_id}/viewed': MOVES,
  '/api/messages/{chain_id}/unread': MOVES,
  '/api/cases/{id}/proofs/{proof_id}/withdraw': MOVES,
  '/api/disbursements/{id}/submit': MOVES,
  '/api/disbursements/{id}/cancel': MOVES,
  '/api/disbursements/{id}/approve': MOVES,
  '/api/disbursements/{id}/undo-approval': MOVES,
  '/api/disbursements/{id}/deny': MOVES,
  '/api/disbursements/{id}/end': MOVES,
  '/api/disbursements/{id}/retry': MOVES,
  '/api/notifications/unsubscribe': MOVES,
  '/webhook': NAMED,
  '/webhooks/sendgrid': NAMED,
  '/webhooks/twilio': NAMED,
};

/** Sends a request with these headers. */
type Send = (headers: Record<string, string>) => Promise<Answer>;

interface Row {
  /** Returns a request, and requests that differ from it in one part each. */
  prepare: () => Promise<[Send, ...Send[]]>;
  /** The table to which the call adds one row. */
  table: string;
}

const call =
  (who: Client, path: string, body: object): Send =>
  (headers) =>
    who.post(path, body, headers);
const fillIn =
  (path: string, fields: Record<string, string>, files: Parameters<Client['form']>[2] = []): Send =>
  (headers) =>
    parent.form(path, { message: 'x', ...fields }, files, headers);
const startChain = async (): Promise<number> =>
  (await parent.form('/api/messages', { message: 'x', case_id: String(CASE_1) })).body.chain.id;

/** Confirms a file, then another one, and then the first one at other places. */
const uploading = async (
  path: string,
  of: { filename: string; content_type: string; content: Buffer },
  { who = parent, elsewhere = [] }: { who?: Client; elsewhere?: string[] } = {},
): Promise<[Send, ...Send[]]> => {
  const [file_key, other] = [await upload(who, path, of), await upload(who, path, of)];
  const confirm = (place: string, key: string) => call(who, `${place}/confirm`, { file_key: key });
  return [confirm(path, file_key), confirm(path, other), ...elsewhere.map((place) => confirm(place, file_key))];
};
const [PICTURE, PHOTO_ID] = ['/api/user/me/profile-picture', '/api/user/me/photo-id'];

/** The calls that create something. */
const CREATING: Record<string, Row> = {
  '/api/messages': {
    table: 'message',
    prepare: async () => {
      const start = (fields: object, files?: Parameters<Client['form']>[2]) =>
        fillIn('/api/messages', { case_id: String(CASE_1), ...fields }, files);
      const recipients = JSON.stringify([{ user_type: 'surrogate', user_id: surrogate.userId }]);
      const file = { name: 'a.txt', type: 'text/plain', content: Buffer.from('x') };
      return [start({}), start({ message: 'y' }), start({ subject: 'y' }), start({ recipients }), start({}, [file])];
    },
  },
  '/api/messages/{chain_id}': {
    table: 'message',
    prepare: async () => {
      const [path, elsewhere] = [`/api/messages/${await startChain()}`, `/api/messages/${await startChain()}`];
      const file = (name: string, content: string) => [{ name, type: 'text/plain', content: Buffer.from(content) }];
      const send = (message: string, files: ReturnType<typeof file>, place = path) => fillIn(place, { message }, files);
      return [
        send('x', file('a.txt', 'x')),
        send('y', file('a.txt', 'x')),
        send('x', file('a.txt', 'y')),
        send('x', file('b.txt', 'x')),
        send('x', []),
        send('x', file('a.txt', 'x'), elsewhere),
      ];
    },
  },
  '/api/messages/{chain_id}/notes': {
    table: 'chain_note',
    prepare: async () => {
      const add = (chainId: number, note: string) => call(escrow, `/api/messages/${chainId}/notes`, { note });
      const [here, elsewhere] = [await startChain(), await startChain()];
      return [add(here, 'x'), add(here, 'y'), add(elsewhere, 'x')];
    },
  },
  '/api/cases/{id}/disbursements': {
    table: 'disbursement_request',
    prepare: async () => {
      const create = (change: object) => {
        const body = { amount_cents: 1, category: 'Travel', description: 'Train', ...change };
        return call(surrogate, `/api/cases/${CASE_1}/disbursements`, body);
      };
      return [create({}), create({ amount_cents: 2 }), create({ category: 'Other' }), create({ description: 'Bus' })];
    },
  },
  '/api/disbursements/{id}/question': {
    table: 'message',
    prepare: async () => {
      const submit = () => bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
      const question = (id: number, body: object) => call(parent, `/api/disbursements/${id}/question`, { text: 'x', ...body });
      const [here, elsewhere] = [await submit(), await submit()];
      return [question(here, {}), question(here, { text: 'y' }), question(here, { alarm: true }), question(elsewhere, {})];
    },
  },
  '/api/cases/{id}/proofs': {
    table: 'proof_of_funds',
    prepare: async () => {
      await fundCase(api, CASE_1, 100_000);
      const prove = (addressee: string) => call(parent, `/api/cases/${CASE_1}/proofs`, { addressee });
      return [prove('A'), prove('B')];
    },
  },
  '/api/disbursements/{id}/files/confirm': {
    table: 'disbursement_file',
    prepare: async () => {
      const [here, elsewhere] = [await draft(surrogate), await draft(surrogate)].map(
        ({ id }) => `/api/disbursements/${id}/files`,
      );
      return uploading(here ?? '', PDF, { who: surrogate, elsewhere: [elsewhere ?? ''] });
    },
  },
  '/api/cases/{id}/documents/confirm': {
    table: 'case_document',
    prepare: () => uploading(`/api/cases/${CASE_1}/documents`, PDF),
  },
  '/api/user/me/profile-picture/confirm': {
    table: `user_file where purpose = 'profile_picture'`,
    prepare: () => uploading(PICTURE, PNG, { elsewhere: [PHOTO_ID] }),
  },
  '/api/user/me/photo-id/confirm': {
    table: `audit_entry where action like 'photo_id.%'`,
    prepare: () => uploading(PHOTO_ID, PNG, { elsewhere: [PICTURE] }),
  },
  '/api/notifications/subscribe': {
    table: 'push_subscription',
    prepare: async () => {
      const subscribe = (body: object) => call(parent, '/api/notifications/subscribe', body);
      const device = { enabled: true, endpoint: 'http://127.0.0.1/device', keys: KEYS };
      const auth = randomBytes(16).toString('base64url');
      return [
        subscribe(device),
        subscribe({ enabled: false }),
        subscribe({ ...device, endpoint: 'http://127.0.0.1/other' }),
        subscribe({ ...device, keys: { ...KEYS, auth } }),
      ];
    },
  },
  '/internal/notification/send': {
    table: `delivery where channel = 'push'`,
    prepare: async () => {
      const endpoint = 'http://127.0.0.1:1/device';
      await surrogate.post('/api/notifications/subscribe', { enabled: true, endpoint, keys: KEYS });
      const push = (change: object): Send => {
        const body = { user_type: 'surrogate', user_id: surrogate.userId, title: 'x', body: 'x', ...change };
        const key = { 'x-master-api-key': TEST_SECRETS.masterApiKey };
        return (headers) => api.anonymous.post('/internal/notification/send', body, { ...headers, ...key });
      };
      const other = { user_type: 'intended_parent', user_id: parent.userId };
      return [push({}), push({ title: 'y' }), push({ body: 'y' }), push({ url: '/messages' }), push(other)];
    },
  },
};

test('[IDEMPOTENCY-1] every POST of the API takes an Idempotency-Key, or is listed among those that create nothing, with its reason', () => {
  const withKey = posts.filter(({ post }) => takesKey(post)).map(({ path }) => path);
  const without = posts.filter(({ post }) => !takesKey(post)).map(({ path }) => path);
  assert.deepEqual(without.sort(), Object.keys(WITHOUT_KEY).sort());
  assert.deepEqual(withKey.sort(), Object.keys(CREATING).sort());
});

describe('[IDEMPOTENCY-1, IDEMPOTENCY-2] the same key and body get the same answer, and another request never does', () => {
  const count = async (table: string) => (await api.pool.query(`select from ${table}`)).rowCount ?? 0;
  for (const [path, { prepare, table }] of Object.entries(CREATING)) {
    test(`POST ${path}`, async () => {
      const [send, ...others] = await prepare();
      const headers = { 'idempotency-key': randomUUID() };
      const before = await count(table);
      const first = await send(headers);
      assert.ok([200, 201].includes(first.status), JSON.stringify(first.body));
      const again = await send(headers);
      assert.deepEqual([again.status, plain(again.body)], [first.status, plain(first.body)]);
      assert.equal(await count(table), before + 1);
      for (const [at, sendOther] of others.entries()) {
        const other = await sendOther(headers);
        assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'], `difference ${at + 1}`);
      }
      assert.equal(await count(table), before + 1);
      assert.equal((await send({ 'idempotency-key': 'x'.repeat(256) })).status, 422);
    });
  }
});

/** Returns a body without signed URLs and their expiry, which are new in each answer. */
function plain(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (name, value) => (/url/.test(name) ? null : value)));
}
