import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fuzzing } from '../../../test/support/hostile/fuzzing.ts';
import { findApiPath } from './api-path.ts';
import { FORWARDED_PATHS } from './forwarded-paths.ts';

const SESSION_CALLS = ['login', 'refresh', 'verify-totp', 'resend-otp'].map((name) => `/api/user/auth/${name}`);

test('[WEB-4] a literal path is matched by its own methods, not by those of a path with parameters', () => {
  for (const [path, methods] of Object.entries(FORWARDED_PATHS)) {
    assert.deepEqual(findApiPath(path.replaceAll(/\{\w+\}/g, '1'))?.methods, methods, path);
  }
});

test('[WEB-4] a path is checked and forwarded as the API reads it', () => {
  for (const [raw, decoded] of [
    ['/api/cases', '/api/cases'],
    ['/api/%63ases/7', '/api/cases/7'],
    ['/%61pi/cases/%37', '/api/cases/7'],
    ['/api/messages/unread/coun%74', '/api/messages/unread/count'],
  ] as const) {
    assert.equal(findApiPath(raw)?.path, decoded);
  }
  assert.deepEqual(findApiPath('/api/disbursements/7')?.methods, ['GET', 'PATCH']);
});

for (const path of [
  ...SESSION_CALLS,
  '/api/user/auth/%6cogin',
  '/api/user/auth/%72efresh',
  '/api/user/auth/%256cogin',
  '/api/user/auth/login/',
  '/api/user/auth//login',
  '/api/user/./auth/login',
  '/api/user/me/../auth/login',
  '/api/user/me/%2e%2e/auth/login',
  '/api/user%2fauth%2flogin',
  '/api/user/auth/LOGIN',
  '/api/user/auth/login;a=b',
  '/api/user/auth/login%00',
  '/api/user/auth/login%20',
  '/api/cases/..%2f..%2finternal%2fnotification%2fsend',
  '/api/cases/..',
  '/api/cases/%2e%2e',
  '/api/cases/%5c',
  '/api/cases/1%2fdocuments',
  '/api/cases/%31%',
  '/api/cases/%C3',
  '/api/cases/%EF%BC%91',
  '/api/../internal/notification/send',
  '/internal/notification/send',
  '/webhook',
  '/openapi.json',
  '/api',
  '/api/',
  '/api/auth/session',
  '/api/%61uth/session',
  'api/cases',
  '',
  '*',
  'http://api.test/api/cases',
]) {
  test(`[WEB-4] ${path} is not forwarded`, () => assert.equal(findApiPath(path), null));
}

/** Percent-encodes each character of a path as often as `depths` says. */
function encoded(path: string, depths: readonly number[]): string {
  return [...path]
    .map((character, at) => {
      let written = character;
      for (let depth = depths[at] ?? 0; depth > 0; depth--) {
        written = [...written].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('');
      }
      return written;
    })
    .join('');
}

test('[WEB-4] no call for a token is forwarded in any encoding', () => {
  const depths = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 30, maxLength: 30 });
  fc.assert(
    fc.property(fc.constantFrom(...SESSION_CALLS), depths, (path, each) => {
      assert.equal(findApiPath(encoded(path, each)), null);
    }),
    fuzzing(2000),
  );
});

test('[WEB-4] a forwarded path stays the same however often it is decoded', () => {
  const part = fc.oneof(
    fc.constantFrom('api', 'cases', 'messages', 'user', 'me', '..', '.', '%2e', '1', '', '%2f'),
    fc.webSegment(),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const apiPath = findApiPath(`/${parts.join('/')}`);
      if (apiPath === null) return;
      assert.match(apiPath.path, /^(\/[\w-]+)+$/);
      assert.equal(new URL(apiPath.path, 'http://a.test').pathname, apiPath.path);
    }),
    fuzzing(5000),
  );
});
