import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSON_BODY_MAX_BYTES, MESSAGE_BODY_MAX_BYTES } from '@case-platform/words/limits';
import { callBodyMaxBytes } from './call-body-limit.ts';

test('[EDGE-2] only a new message takes a body with files, other changes take JSON, and reads and pages take none', () => {
  for (const [method, url, expected] of [
    ['POST', '/api/messages', MESSAGE_BODY_MAX_BYTES],
    ['POST', '/api/messages/3?x=1', MESSAGE_BODY_MAX_BYTES],
    ['PATCH', '/api/messages/3', JSON_BODY_MAX_BYTES],
    ['POST', '/api/messages/3/viewed', JSON_BODY_MAX_BYTES],
    ['POST', '/api/messages/3/notes', JSON_BODY_MAX_BYTES],
    ['DELETE', '/api/messages/3/4', JSON_BODY_MAX_BYTES],
    ['GET', '/api/messages', undefined],
    ['HEAD', '/api/messages', undefined],
    ['POST', '/api/auth/callback/credentials', undefined],
    ['POST', '/api/user/auth/login', undefined],
    ['POST', '/', undefined],
    ['POST', undefined, undefined],
  ] as const)
    assert.equal(callBodyMaxBytes({ method, ...(url === undefined ? {} : { url }) }), expected, `${method} ${url}`);
});
