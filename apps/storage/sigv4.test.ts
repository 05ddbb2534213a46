import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequestTarget } from './request-target.ts';
import { S3Error } from './s3-error.ts';
import { type SignableRequest, verifySignature } from './sigv4.ts';

// These tests cover signatures that test/storage does not send. Requests, keys, and signatures are the worked examples of the
// Amazon S3 API Reference.
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const now = new Date('2013-05-24T00:00:10Z');
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function authorization(signedHeaders: string, signature: string): string[] {
  const credential = `${credentials.accessKeyId}/20130524/us-east-1/s3/aws4_request`;
  return [`AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${signedHeaders},Signature=${signature}`];
}

/** "Example: GET Object" with a virtual-host address, whose path has no bucket. */
const get: SignableRequest = {
  method: 'GET',
  target: { bucket: 'examplebucket', key: 'test.txt', query: new Map(), rawPath: '/test.txt' },
  headers: {
    host: ['examplebucket.s3.amazonaws.com'],
    range: ['bytes=0-9'],
    'x-amz-content-sha256': [EMPTY],
    'x-amz-date': ['20130524T000000Z'],
    authorization: authorization(
      'host;range;x-amz-content-sha256;x-amz-date',
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ),
  },
};

/** "Authenticating Requests: Using Query Parameters", valid for a day. */
const presigned: SignableRequest = {
  method: 'GET',
  target: {
    ...get.target,
    query: parseRequestTarget(
      '/examplebucket/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    ).query,
  },
  headers: { host: ['examplebucket.s3.amazonaws.com'] },
};

for (const [name, request] of Object.entries({ get, presigned })) {
  test(`accepts the signature of Amazon's example: ${name}`, () => {
    verifySignature(request, credentials, now);
  });
}

function code(request: SignableRequest, at = now, keys = credentials): string {
  try {
    verifySignature(request, keys, at);
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof S3Error);
    return error.code;
  }
}

function withHeaders(request: SignableRequest, headers: SignableRequest['headers']): SignableRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}

function withQuery(changes: Record<string, string>): SignableRequest {
  const query = new Map([...presigned.target.query, ...Object.entries(changes)]);
  return { ...presigned, target: { ...presigned.target, query } };
}

const minutes = (count: number) => new Date(Date.parse('2013-05-24T00:00:00Z') + count * 60_000);

const refusals: [what: string, request: SignableRequest, code: string, now?: Date][] = [
  ['another method', { ...get, method: 'PUT' }, 'SignatureDoesNotMatch'],
  ['another range', withHeaders(get, { range: ['bytes=0-10'] }), 'SignatureDoesNotMatch'],
  ['another digest', withHeaders(get, { 'x-amz-content-sha256': ['UNSIGNED-PAYLOAD'] }), 'SignatureDoesNotMatch'],
  ['an unsigned x-amz header', withHeaders(get, { 'x-amz-acl': ['public-read'] }), 'AccessDenied'],
  ['no digest', withHeaders(get, { 'x-amz-content-sha256': undefined }), 'InvalidRequest'],
  ['no date', withHeaders(get, { 'x-amz-date': undefined }), 'AccessDenied'],
  ['another scheme', withHeaders(get, { authorization: ['Basic eDp5'] }), 'InvalidArgument'],
  ['a header without its parts', withHeaders(get, { authorization: ['AWS4-HMAC-SHA256 x'] }), 'AuthorizationHeaderMalformed'],
  ['a clock 16 minutes off', get, 'RequestTimeTooSkewed', minutes(16)],
  ['a clock 16 minutes ahead', get, 'RequestTimeTooSkewed', minutes(-16)],
  ['a header and a query', withHeaders(presigned, { authorization: ['x'] }), 'InvalidArgument'],
  ['an address from the future', presigned, 'AccessDenied', minutes(-16)],
  ['an expiry that is not a number', withQuery({ 'X-Amz-Expires': '-1' }), 'AuthorizationQueryParametersError'],
  ['a shorter signature', withQuery({ 'X-Amz-Signature': 'aeeed9' }), 'SignatureDoesNotMatch'],
];

for (const [what, request, expected, at] of refusals) {
  test(`rejects ${what}: ${expected}`, () => assert.equal(code(request, at), expected));
}

test('an address is valid to the last second', () => {
  assert.equal(code(presigned, new Date(minutes(24 * 60).getTime() - 1)), 'accepted');
});

test('another region is rejected', () => {
  assert.equal(code(get, now, { ...credentials, region: 'eu-west-1' }), 'AuthorizationHeaderMalformed');
});
