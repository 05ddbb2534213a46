import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORWARDED_PATHS } from '../../../apps/web/server/forwarded-paths.ts';
import { describeApi } from '../../../scripts/generate/api-description.ts';

const { description } = await describeApi();
const SESSION_CALLS = ['login', 'refresh', 'verify-totp', 'resend-otp'].map((name) => `/api/user/auth/${name}`);
/** Links in mails lead to these paths of the API itself. */
const FROM_MAILS = ['/api/notifications/unsubscribe'];
const TOKEN_FIELDS = /"(access|refresh|tfa)_token"/;

/** Serializes a part of the description with everything that it refers to. */
function whole(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"\$ref":"#\/([^"]+)"/g, (_, path: string) => {
    const referred = path.split('/').reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], description);
    return `"$ref":${whole(referred)}`;
  });
}

test('[WEB-4] every path of the API is forwarded, carries a token, or is not for browsers', () => {
  const others = Object.keys(description.paths).filter((path) => !(path in FORWARDED_PATHS));
  const forBrowsers = others.filter((path) => path.startsWith('/api/'));
  assert.deepEqual(forBrowsers.sort(), [...SESSION_CALLS, ...FROM_MAILS].sort());
  for (const [path, methods] of Object.entries(FORWARDED_PATHS)) {
    assert.deepEqual(
      Object.keys(description.paths[path] ?? {})
        .map((method) => method.toUpperCase())
        .sort(),
      [...methods].sort(),
    );
  }
});

test('[WEB-4] no forwarded call takes or returns a token', () => {
  for (const path of SESSION_CALLS) assert.match(whole(description.paths[path]), TOKEN_FIELDS, path);
  for (const path of Object.keys(FORWARDED_PATHS)) assert.doesNotMatch(whole(description.paths[path]), TOKEN_FIELDS, path);
});
