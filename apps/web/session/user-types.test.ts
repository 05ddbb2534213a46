import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isApiUserType, roleWords, SIGN_IN_ROLES, toApiUserType, toSessionUserType } from './user-types.ts';

test('[Frontend session] userType carries the short words, and each leads back to the API’s', () => {
  const short = SIGN_IN_ROLES.map(({ value }) => toSessionUserType(value));
  assert.deepEqual(short, ['ip', 'surrogate', 'cm', 'owner', 'ip_rep', 'admin']);
  for (const { value } of SIGN_IN_ROLES) assert.equal(toApiUserType(toSessionUserType(value)), value);
});

test('people read words, never codes', () => {
  for (const { value } of SIGN_IN_ROLES) assert.match(roleWords(value), /^[A-Z][a-z]+( [a-z]+)?$/);
  assert.equal(roleWords('ip'), roleWords('intended_parent'));
});

test('only the API’s words are its words', () => {
  for (const value of ['ip', 'cm', 'toString', '', null, 3]) assert.equal(isApiUserType(value), false);
});
