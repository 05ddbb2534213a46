import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  API_USER_TYPES,
  apiUserTypeInWords,
  fromApiUserType,
  isApiUserType,
  roleWords,
  toApiUserType,
  USER_TYPES,
  userTypeInWords,
} from './user-types.ts';

test('[LAYER-3] every short code has a word in the JSON API that converts back to it', () => {
  assert.deepEqual(USER_TYPES.map(toApiUserType).toSorted(), API_USER_TYPES.toSorted());
  for (const type of USER_TYPES) assert.equal(fromApiUserType(toApiUserType(type)), type);
  assert.equal(fromApiUserType('ip_rep'), 'ip_rep');
  for (const word of ['ip', 'cm', 'toString', '']) assert.equal(fromApiUserType(word), undefined);
});

test('people read words, never codes', () => {
  assert.deepEqual(
    USER_TYPES.map((type) => [type, toApiUserType(type), userTypeInWords(type), roleWords(type)].join(' | ')),
    [
      'admin | admin | Staff | Escrow team',
      'surrogate | surrogate | Surrogate | Surrogate',
      'cm | case_manager | Case manager | Case manager',
      'owner | agency_owner | Agency owner | Agency owner',
      'ip | intended_parent | Intended parent | Parent',
      'ip_rep | ip_company | Parents’ representative | Representative',
    ],
  );
  for (const type of USER_TYPES) {
    assert.match(roleWords(type), /^[A-Z][a-z]+( [a-z]+)?$/);
    assert.equal(roleWords(type), roleWords(toApiUserType(type)));
    assert.equal(userTypeInWords(type), apiUserTypeInWords(toApiUserType(type)));
  }
});

test('only the JSON API’s words are accepted as such', () => {
  for (const value of API_USER_TYPES) assert.equal(isApiUserType(value), true, value);
  for (const value of ['ip', 'cm', 'toString', '', null, 3]) assert.equal(isApiUserType(value), false);
});
