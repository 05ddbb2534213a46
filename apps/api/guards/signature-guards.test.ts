import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { UnauthenticatedError } from '@case-platform/lib/errors';
import { ADMITTED } from '@case-platform/lib/guards';
import type { FastifyRequest } from 'fastify';
import { createSignatureGuards, readForm } from './signature-guards.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const NOW = new Date('2026-11-26T12:00:00.000Z');
const TIMESTAMP = String(NOW.getTime() / 1000);
const BODY = Buffer.from('[{"event":"delivered"}]');
const SIGNATURE = sign('sha256', Buffer.concat([Buffer.from(TIMESTAMP), BODY]), privateKey).toString('base64');
const sendgridPublicKey = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

const guardOf = (key: string | undefined) =>
  createSignatureGuards({
    reportKeys: { apiUrl: 'https://api.test', sendgridPublicKey: key },
    now: () => NOW,
  }).sendgridSignature();
const requestOf = (signature: unknown, timestamp: unknown = TIMESTAMP, body: unknown = BODY) => {
  const prefix = 'x-twilio-email-event-webhook';
  return {
    headers: { [`${prefix}-signature`]: signature, [`${prefix}-timestamp`]: timestamp },
    body,
  } as unknown as FastifyRequest;
};

test('[NOTIFY-10] a report without one signature and time of a usual length is rejected before its body is read', () => {
  const { admit } = guardOf(sendgridPublicKey);
  assert.equal(admit(requestOf(SIGNATURE)), ADMITTED);
  assert.equal(admit(requestOf('x'.repeat(500))), ADMITTED);
  for (const one of [undefined, '', ['a', 'b'], 'x'.repeat(501)]) {
    assert.throws(() => admit(requestOf(one)), UnauthenticatedError, `the signature ${one}`);
    if (one !== undefined) assert.throws(() => admit(requestOf(SIGNATURE, one)), UnauthenticatedError, `the time ${one}`);
  }
});

test('[NOTIFY-10] only the body that was signed with the configured key is accepted', async () => {
  const isAccepted = async (key: string | undefined, request: FastifyRequest) => {
    try {
      await guardOf(key).admitBody?.(request);
      return true;
    } catch (error) {
      assert.ok(error instanceof UnauthenticatedError);
      return false;
    }
  };
  assert.equal(await isAccepted(sendgridPublicKey, requestOf(SIGNATURE)), true);
  const rows: [what: string, key: string | undefined, request: FastifyRequest][] = [
    ['without a key', undefined, requestOf(SIGNATURE)],
    ['another body', sendgridPublicKey, requestOf(SIGNATURE, TIMESTAMP, Buffer.from('[]'))],
    ['another time', sendgridPublicKey, requestOf(SIGNATURE, String(Number(TIMESTAMP) + 1))],
    ['another signature', sendgridPublicKey, requestOf(sign('sha256', BODY, privateKey).toString('base64'))],
    ['a body that was parsed', sendgridPublicKey, requestOf(SIGNATURE, TIMESTAMP, BODY.toString())],
    ['no body', sendgridPublicKey, requestOf(SIGNATURE, TIMESTAMP, null)],
  ];
  for (const [what, key, request] of rows) assert.equal(await isAccepted(key, request), false, what);
});

test('the last value of a field of a form counts', () => {
  assert.deepEqual(readForm(Buffer.from('To=%2B1+2&Status=sent&Status=failed&Empty=')), {
    To: '+1 2',
    Status: 'failed',
    Empty: '',
  });
});
