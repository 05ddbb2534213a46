import assert from 'node:assert/strict';
import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { samplePdf, samplePng } from '../../../scripts/demo/sample-files.ts';
import { CASE_1 } from '../../support/cast.ts';
import { TEST_SECRETS } from '../../support/database.ts';
import { upload } from '../../support/direct-upload.ts';
import { bringTo, draft, fundCase } from '../../support/money.ts';
import { type Answer, startApi } from '../../support/platform.ts';

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
const FILE = new URL('../../../apps/api/openapi.json', import.meta.url);
const { paths } = JSON.parse(await readFile(FILE, 'utf8')) as { paths: Record<string, { post?: Operation }> };
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

interface Row {
  /** Returns a function that sends the request, or with `other` a different one of the same kind. */
  prepare: () => Promise<(headers: Record<string, string>, other?: boolean) => Promise<Answer>>;
  /** The table to which the call adds one row. */
  table: string;
}

const uploading = (path: string, of: { filename: string; content_type: string; content: Buffer }, who = parent) => ({
  prepare: async () => {
    const keys = [await upload(who, path, of), await upload(who, path, of)];
    return (headers: Record<string, string>, other = false) =>
      who.post(`${path}/confirm`, { file_key: keys[other ? 1 : 0] }, headers);
  },
});

/** The calls that create something. */
const CREATING: Record<string, Row> = {
  '/api/messages': {
    table: 'message',
    prepare: async () => (headers, other) =>
      parent.form('/api/messages', { message: other ? 'y' : 'x', case_id: String(CASE_1) }, [], headers),
  },
  '/api/messages/{chain_id}': {
    table: 'message',
    prepare: async () => {
      const { body } = await parent.form('/api/messages', { message: 'x', case_id: String(CASE_1) });
      return (headers, other) => parent.form(`/api/messages/${body.chain.id}`, { message: other ? 'y' : 'x' }, [], headers);
    },
  },
  '/api/messages/{chain_id}/notes': {
    table: 'chain_note',
    prepare: async () => {
      const { body } = await parent.form('/api/messages', { message: 'x', case_id: String(CASE_1) });
      return (headers, other) => escrow.post(`/api/messages/${body.chain.id}/notes`, { note: other ? 'y' : 'x' }, headers);
    },
  },
  '/api/cases/{id}/disbursements': {
    table: 'disbursement_request',
    prepare: async () => (headers, other) =>
      surrogate.post(
        `/api/cases/${CASE_1}/disbursements`,
        { amount_cents: other ? 2 : 1, category: 'Travel', description: 'Train' },
        headers,
      ),
  },
  '/api/disbursements/{id}/question': {
    table: 'message',
    prepare: async () => {
      const id = await bringTo(api, { maker: surrogate, checker: parent }, 'submitted');
      return (headers, other) => parent.post(`/api/disbursements/${id}/question`, { text: other ? 'y' : 'x' }, headers);
    },
  },
  '/api/cases/{id}/proofs': {
    table: 'proof_of_funds',
    prepare: async () => {
      await fundCase(api, CASE_1, 100_000);
      return (headers, other) => parent.post(`/api/cases/${CASE_1}/proofs`, { addressee: other ? 'B' : 'A' }, headers);
    },
  },
  '/api/disbursements/{id}/files/confirm': {
    table: 'disbursement_file',
    prepare: async () => {
      const { id } = await draft(surrogate);
      return uploading(`/api/disbursements/${id}/files`, PDF, surrogate).prepare();
    },
  },
  '/api/cases/{id}/documents/confirm': {
    table: 'case_document',
    ...uploading(`/api/cases/${CASE_1}/documents`, PDF),
  },
  '/api/user/me/profile-picture/confirm': {
    table: `user_file where purpose = 'profile_picture'`,
    ...uploading('/api/user/me/profile-picture', PNG),
  },
  '/api/user/me/photo-id/confirm': {
    table: `audit_entry where action like 'photo_id.%'`,
    ...uploading('/api/user/me/photo-id', PNG),
  },
  '/api/notifications/subscribe': {
    table: 'push_subscription',
    prepare: async () => (headers, other) =>
      parent.post(
        '/api/notifications/subscribe',
        other ? { enabled: false } : { enabled: true, endpoint: 'http://127.0.0.1/device', keys: KEYS },
        headers,
      ),
  },
  '/internal/notification/send': {
    table: `delivery where channel = 'push'`,
    prepare: async () => {
      const endpoint = 'http://127.0.0.1:1/device';
      await surrogate.post('/api/notifications/subscribe', { enabled: true, endpoint, keys: KEYS });
      const person = { user_type: 'surrogate', user_id: surrogate.userId, body: 'x' };
      const key = { 'x-master-api-key': TEST_SECRETS.masterApiKey };
      return (headers, other) =>
        api.anonymous.post('/internal/notification/send', { ...person, title: other ? 'y' : 'x' }, { ...headers, ...key });
    },
  },
};

test('[IDEMPOTENCY-1] every POST of the API takes an Idempotency-Key, or is listed among those that create nothing, with its reason', () => {
  const withKey = posts.filter(({ post }) => takesKey(post)).map(({ path }) => path);
  const without = posts.filter(({ post }) => !takesKey(post)).map(({ path }) => path);
  assert.deepEqual(without.sort(), Object.keys(WITHOUT_KEY).sort());
  assert.deepEqual(withKey.sort(), Object.keys(CREATING).sort());
});

describe('[IDEMPOTENCY-1] the same key and body get the same answer, and the work is done once', () => {
  const count = async (table: string) => (await api.pool.query(`select from ${table}`)).rowCount ?? 0;
  for (const [path, { prepare, table }] of Object.entries(CREATING)) {
    test(`POST ${path}`, async () => {
      const send = await prepare();
      const headers = { 'idempotency-key': randomUUID() };
      const before = await count(table);
      const first = await send(headers);
      assert.ok([200, 201].includes(first.status), JSON.stringify(first.body));
      const again = await send(headers);
      assert.deepEqual([again.status, plain(again.body)], [first.status, plain(first.body)]);
      assert.equal(await count(table), before + 1);
      const other = await send(headers, true);
      assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
      assert.equal(await count(table), before + 1);
      assert.equal((await send({ 'idempotency-key': 'x'.repeat(256) }, true)).status, 422);
    });
  }
});

/** Returns a body without signed URLs and their expiry, which are new in each answer. */
function plain(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (name, value) => (/url/.test(name) ? null : value)));
}
