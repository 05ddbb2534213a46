import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentSecurityPolicy } from './content-security-policy.ts';

test('[EDGE-4] a page may use exactly these sources, and only over TLS it upgrades addresses', () => {
  const RULES = [
    "default-src 'self'",
    "script-src 'self' 'nonce-n0' 'strict-dynamic'",
    "style-src 'self' 'nonce-n0'",
    "img-src 'self' data: blob: https://files.test",
    "font-src 'self'",
    "connect-src 'self' https://files.test",
    "worker-src 'self'",
    "manifest-src 'self'",
    "object-src 'none'",
    "frame-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  const policy = (https: boolean) =>
    contentSecurityPolicy({ nonce: 'n0', storageOrigin: 'https://files.test', https }).split('; ');
  assert.deepEqual(policy(false), RULES);
  assert.deepEqual(policy(true), [...RULES, 'upgrade-insecure-requests']);
});

test('without an object store and without TLS nothing is added', () => {
  const policy = contentSecurityPolicy({ nonce: 'n0', storageOrigin: undefined, https: false });
  assert.doesNotMatch(policy, /undefined|https?:|upgrade/);
});
