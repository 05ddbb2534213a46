import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStorage, signDownloadUrl } from '@case-platform/modules/storage';
import { EMAIL_CONTENT_POLICY, securityHeaders } from './security-headers.ts';

const SETTINGS = { region: 'us-east-1', bucket: 'files', accessKeyId: 'AKID', secretAccessKey: 'a secret' };
const ADDRESSES: [endpoint: string, inPath: string, inHost: string | null][] = [
  ['https://a.test', 'https://a.test', 'https://files.a.test'],
  ['https://a.test:9000', 'https://a.test:9000', 'https://files.a.test:9000'],
  ['https://u:p@a.test:9000/base', 'https://a.test:9000', 'https://files.a.test:9000'],
  ['http://[::1]:9000/base', 'http://[::1]:9000', null],
];

test('[UPLOAD-1] the policy of staff pages allows the origin at which the store has its files, at each kind of address', () => {
  for (const [address, inPath, inHost] of ADDRESSES)
    for (const name of ['endpoint', 'publicEndpoint'])
      for (const [origin, forcePathStyle] of [[inPath, true] as const, [inHost, false] as const]) {
        if (origin === null) continue;
        const settings = { ...SETTINGS, endpoint: 'https://inside.test', forcePathStyle, [name]: address };
        const policy = securityHeaders({ production: true, storage: settings })['content-security-policy'];
        for (const directive of [`img-src 'self' data: ${origin};`, `connect-src 'self' ${origin};`])
          assert.ok(policy.includes(directive), `${address}: ${policy}`);
        const file = { key: 'a', filename: 'a', contentType: 'text/plain' };
        const { url } = signDownloadUrl(createStorage(settings), file, new Date());
        assert.equal(new URL(url).origin, origin, 'the address of a file');
      }
});

test('[EDGE-4] each answer of the staff application has these headers and directives, and in production https only', () => {
  const storage = { ...SETTINGS, endpoint: 'https://store.test', forcePathStyle: true };
  const { 'content-security-policy': policy, ...headers } = securityHeaders({ production: false, storage });
  assert.deepEqual(headers, {
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'x-frame-options': 'DENY',
  });
  assert.deepEqual(policy.split('; '), [
    "default-src 'self'",
    "img-src 'self' data: https://store.test",
    "style-src 'self'",
    "script-src 'self'",
    "font-src 'self'",
    "connect-src 'self' https://store.test",
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
  ]);
  const secure = securityHeaders({ production: true, storage });
  const added = { 'content-security-policy': policy, 'strict-transport-security': 'max-age=31536000; includeSubDomains' };
  assert.deepEqual(secure, { ...headers, ...added });
  // The content of an email is framed by our own page only, and is text and pictures without a script, a form, or a request.
  assert.deepEqual(EMAIL_CONTENT_POLICY.split('; '), [
    'sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});
