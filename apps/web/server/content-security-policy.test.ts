import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentSecurityPolicy } from './content-security-policy.ts';

test('scripts need the nonce, and the object store is the only other origin', () => {
  const policy = contentSecurityPolicy({ nonce: 'n0', storageOrigin: 'https://files.test', https: true });
  assert.match(policy, /script-src 'self' 'nonce-n0' 'strict-dynamic';/);
  assert.doesNotMatch(policy, /unsafe|\*/);
  assert.deepEqual([...new Set(policy.match(/https?:\/\/[^\s;]+/g))], ['https://files.test']);
  assert.match(policy, /upgrade-insecure-requests/);
});

test('without an object store and without TLS nothing is added', () => {
  const policy = contentSecurityPolicy({ nonce: 'n0', storageOrigin: undefined, https: false });
  assert.doesNotMatch(policy, /undefined|https?:|upgrade/);
});
