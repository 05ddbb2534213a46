import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { encodeUri } from './request-target.ts';
import { S3Error } from './s3-error.ts';
import { ALGORITHM, verifySignature } from './sigv4.ts';

/** The keys and the moment of the examples in Amazon's description of Signature Version 4 for S3. */
const CREDENTIALS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const SIGNED_AT = Date.UTC(2013, 4, 24);
const SCOPE = '20130524/us-east-1/s3/aws4_request';
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

interface Sent {
  method?: string;
  path?: string;
  query?: Record<string, string>;
  headers?: Record<string, string | string[] | undefined> | undefined;
  /** Milliseconds after it was signed. */
  after?: number;
  credentials?: typeof CREDENTIALS;
}

/** The signed value for the body, or the code of the rejection. */
function outcome({ method = 'GET', path = '/', query = {}, headers = {}, after = 0, credentials = CREDENTIALS }: Sent): string {
  const target = { bucket: '', key: '', query: new Map(Object.entries(query)), rawPath: path };
  const values = Object.entries(headers).map(([name, value]) => [name, value === undefined ? undefined : [value].flat()]);
  const request = { method, target, headers: Object.fromEntries(values) };
  try {
    return verifySignature(request, credentials, new Date(SIGNED_AT + after));
  } catch (error) {
    assert.ok(error instanceof S3Error, String(error));
    return error.code;
  }
}

const authorization = (signedHeaders: string, signature: string, credential = `${CREDENTIALS.accessKeyId}/${SCOPE}`) =>
  `${ALGORITHM} Credential=${credential},SignedHeaders=${signedHeaders},Signature=${signature}`;

/** A request that is signed in a header, with a signature that is wrong. */
const inHeader = (changes: Sent['headers'] = {}) => ({
  host: 'store.test',
  'x-amz-date': '20130524T000000Z',
  'x-amz-content-sha256': EMPTY,
  authorization: authorization('host;x-amz-content-sha256;x-amz-date', 'wrong'),
  ...changes,
});
/** The same in an address. */
const inQuery = (changes: Record<string, string> = {}) => ({
  'X-Amz-Algorithm': ALGORITHM,
  'X-Amz-Credential': `${CREDENTIALS.accessKeyId}/${SCOPE}`,
  'X-Amz-Date': '20130524T000000Z',
  'X-Amz-Expires': '3600',
  'X-Amz-SignedHeaders': 'host',
  'X-Amz-Signature': 'wrong',
  ...changes,
});
/** Everything else about a request was accepted. */
const PASSED = 'SignatureDoesNotMatch';

test('the examples of Amazon’s description are accepted, and no other method, path, query, header, or body', () => {
  const host = 'examplebucket.s3.amazonaws.com';
  const common = { host, 'x-amz-content-sha256': EMPTY, 'x-amz-date': '20130524T000000Z' };
  const written = '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072';
  const examples: [what: string, sent: Sent, payload: string][] = [
    [
      'an object',
      {
        path: '/test.txt',
        headers: {
          ...common,
          range: 'bytes=0-9',
          authorization: authorization(
            'host;range;x-amz-content-sha256;x-amz-date',
            'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
          ),
        },
      },
      EMPTY,
    ],
    [
      'a new object',
      {
        method: 'PUT',
        path: '/test%24file.text',
        headers: {
          ...common,
          date: 'Fri, 24 May 2013 00:00:00 GMT',
          'x-amz-content-sha256': written,
          'x-amz-storage-class': 'REDUCED_REDUNDANCY',
          authorization: authorization(
            'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
            '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
          ),
        },
      },
      written,
    ],
    [
      'a list',
      {
        query: { prefix: 'J', 'max-keys': '2' },
        headers: {
          ...common,
          authorization: authorization(
            'host;x-amz-content-sha256;x-amz-date',
            '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
          ),
        },
      },
      EMPTY,
    ],
    [
      'an address',
      {
        path: '/test.txt',
        headers: { host },
        query: inQuery({
          'X-Amz-Expires': '86400',
          'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
        }),
      },
      'UNSIGNED-PAYLOAD',
    ],
  ];
  for (const [what, sent, payload] of examples) {
    assert.equal(outcome(sent), payload, what);
    const others: Sent[] = [
      { ...sent, method: 'DELETE' },
      { ...sent, path: `${sent.path ?? '/'}x` },
      { ...sent, query: { ...sent.query, acl: '' } },
      { ...sent, headers: { ...sent.headers, host: 'evil.test' } },
      { ...sent, headers: { ...sent.headers, host: [host, host] } },
      { ...sent, credentials: { ...CREDENTIALS, secretAccessKey: 'another' } },
    ];
    for (const other of others) assert.equal(outcome(other), PASSED, `${what}: ${JSON.stringify(other)}`);
    const body = { ...sent, headers: { ...sent.headers, 'x-amz-content-sha256': 'a'.repeat(64) } };
    assert.equal(outcome(body), PASSED, `${what}: another body`);
  }
});

test('spaces, repeated headers, and signs in an address are signed as Amazon writes them', () => {
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const sign = (canonical: string) => {
    const key = SCOPE.split('/').reduce<string | Buffer>(hmac, `AWS4${CREDENTIALS.secretAccessKey}`);
    const hash = createHash('sha256').update(canonical).digest('hex');
    return hmac(key, `${ALGORITHM}\n20130524T000000Z\n${SCOPE}\n${hash}`).toString('hex');
  };
  const signed = 'host;x-amz-content-sha256;x-amz-date;x-amz-meta-note';
  const canonical = [
    'GET\n/files/a%2Ab\na%2Ab=%27%28c%29%21%20d\n',
    'host:store.test\n',
    `x-amz-content-sha256:${EMPTY}\n`,
    'x-amz-date:20130524T000000Z\n',
    'x-amz-meta-note:a b,c\n',
    `\n${signed}\n${EMPTY}`,
  ].join('');
  const headers = inHeader({ 'x-amz-meta-note': ['  a   b ', 'c'], authorization: authorization(signed, sign(canonical)) });
  assert.equal(outcome({ path: '/files/a%2Ab', query: { 'a*b': "'(c)! d" }, headers }), EMPTY);
  assert.equal(encodeUri("aZ09-_.~ /!'()*ü"), 'aZ09-_.~%20%2F%21%27%28%29%2A%C3%BC');
});

test('a clock may be off by fifteen minutes in either direction, and an address lives for one second to seven days', () => {
  const QUARTER = 15 * 60_000;
  for (const [after, expected] of [
    [-QUARTER - 1, 'RequestTimeTooSkewed'],
    [-QUARTER, PASSED],
    [QUARTER, PASSED],
    [QUARTER + 1, 'RequestTimeTooSkewed'],
  ] as const)
    assert.equal(outcome({ headers: inHeader(), after }), expected, `a header after ${after} ms`);
  for (const [expires, after, expected] of [
    ['3600', -QUARTER - 1, 'AccessDenied'],
    ['3600', -QUARTER, PASSED],
    ['3600', 3_599_999, PASSED],
    ['3600', 3_600_000, 'AccessDenied'],
    ['1', 999, PASSED],
    ['1', 1000, 'AccessDenied'],
    ['604800', 604_799_999, PASSED],
  ] as const) {
    const query = inQuery({ 'X-Amz-Expires': expires });
    assert.equal(outcome({ headers: { host: 'store.test' }, query, after }), expected, `${expires} after ${after} ms`);
  }
  for (const expires of ['0', '604801', '-1', '1e3', '1.5', ' 60', '00000060', 'x']) {
    const query = inQuery({ 'X-Amz-Expires': expires });
    assert.equal(outcome({ headers: { host: 'store.test' }, query }), 'AuthorizationQueryParametersError', expires);
  }
});

test('a request has one proof, which is whole, of this key, day, and region, and which signs the host', () => {
  const own = CREDENTIALS.accessKeyId;
  const credential = (text: string) => inHeader({ authorization: authorization('host;x-amz-date', 'wrong', text) });
  const malformed = 'AuthorizationHeaderMalformed';
  const headerRows: [what: string, headers: Sent['headers'], code: string][] = [
    ['no proof', { host: 'store.test' }, 'AccessDenied'],
    ['another scheme', inHeader({ authorization: 'Bearer x' }), 'InvalidArgument'],
    ['an older version', inHeader({ authorization: `AWS ${own}:x` }), 'InvalidArgument'],
    ['no credential', inHeader({ authorization: `${ALGORITHM} SignedHeaders=host,Signature=x` }), malformed],
    ['no signed headers', inHeader({ authorization: `${ALGORITHM} Credential=${own}/${SCOPE},Signature=x` }), malformed],
    ['no signature', inHeader({ authorization: `${ALGORITHM} Credential=${own}/${SCOPE},SignedHeaders=host` }), malformed],
    ['no date', inHeader({ 'x-amz-date': undefined }), 'AccessDenied'],
    ['another form of the date', inHeader({ 'x-amz-date': '2013-05-24T00:00:00Z' }), 'AccessDenied'],
    ['a day that does not exist', inHeader({ 'x-amz-date': '20131324T000000Z' }), 'AccessDenied'],
    ['no hash of the body', inHeader({ 'x-amz-content-sha256': undefined }), 'InvalidRequest'],
    ['another key', credential(`another/${SCOPE}`), 'InvalidAccessKeyId'],
    ['a key with a part more', credential(`${own}/x/${SCOPE}`), 'InvalidAccessKeyId'],
    ['a scope with a part less', credential(`${own}/20130524/us-east-1/s3`), malformed],
    ['another day', credential(`${own}/20130525/us-east-1/s3/aws4_request`), malformed],
    ['another region', credential(`${own}/20130524/eu-west-1/s3/aws4_request`), malformed],
    ['another service', credential(`${own}/20130524/us-east-1/iam/aws4_request`), malformed],
    ['a host that is not signed', inHeader({ authorization: authorization('x-amz-content-sha256;x-amz-date', 'x') }), malformed],
    ['a date that is not signed', inHeader({ authorization: authorization('host', 'x') }), 'AccessDenied'],
    ['an addition on the way', inHeader({ 'x-amz-acl': 'public-read' }), 'AccessDenied'],
    ['an addition that S3 does not read', inHeader({ 'user-agent': 'x' }), PASSED],
  ];
  for (const [what, headers, code] of headerRows) assert.equal(outcome({ headers }), code, what);
  const headers = { host: 'store.test' };
  for (const name of Object.keys(inQuery())) {
    const { [name]: _left, ...query } = inQuery() as Record<string, string>;
    assert.equal(outcome({ headers, query }), 'AuthorizationQueryParametersError', `an address without ${name}`);
  }
  const queryRows: [what: string, sent: Sent, code: string][] = [
    ['both proofs', { headers: inHeader(), query: inQuery() }, 'InvalidArgument'],
    ['an older version', { query: inQuery({ 'X-Amz-Algorithm': 'AWS4-HMAC-SHA1' }) }, 'AuthorizationQueryParametersError'],
    ['another form of the date', { query: inQuery({ 'X-Amz-Date': '20130524' }) }, 'AuthorizationQueryParametersError'],
    ['another key', { query: inQuery({ 'X-Amz-Credential': `another/${SCOPE}` }) }, 'InvalidAccessKeyId'],
    ['a host that is not signed', { query: inQuery({ 'X-Amz-SignedHeaders': 'range' }) }, 'AuthorizationQueryParametersError'],
    ['an addition on the way', { headers: { ...headers, 'x-amz-acl': 'x' }, query: inQuery() }, 'AccessDenied'],
  ];
  for (const [what, sent, code] of queryRows) assert.equal(outcome({ headers, ...sent }), code, what);
  const slashes = { ...CREDENTIALS, accessKeyId: 'key/with/slashes' };
  assert.equal(outcome({ headers: credential(`key/with/slashes/${SCOPE}`), credentials: slashes }), PASSED, 'a key with slashes');
});
