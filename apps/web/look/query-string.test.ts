import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRole, roleProblem, SIGN_IN_ROLES } from '../sign-in/sign-in-roles.ts';
import { emailProblem } from './email-problem.ts';
import { queryString } from './query-string.ts';

test('a query has the parts with a value, also false and zero', () => {
  assert.equal(queryString({}), '');
  assert.equal(queryString({ a: null, b: undefined, c: '' }), '');
  assert.equal(queryString({ a: 0, b: false, c: 'x y&z', d: null }), '?a=0&b=false&c=x+y%26z');
});

test('an address without a name or a domain, or with a space in it, is incomplete, and an empty one is missing', () => {
  const problems = ['', 'ann', '@example.com', 'ann@', 'ann smith@example.com', ' ann@example.com '].map(emailProblem);
  assert.deepEqual(
    problems.map((problem) => problem?.split(',')[0] ?? null),
    ['Enter your email address.', ...Array(4).fill('Enter a full email address'), null],
  );
});

test('[SIGN-IN-13] a role is one of those of the form, or none', () => {
  for (const role of SIGN_IN_ROLES) assert.deepEqual([parseRole(role), roleProblem(role)], [role, null]);
  for (const other of ['', 'ip', 'root', 'Admin'])
    assert.deepEqual([parseRole(other), roleProblem(other)], [undefined, 'Choose your role.']);
  assert.equal(parseRole(undefined), undefined);
  assert.equal(parseRole(['admin', 'surrogate']), undefined);
});
