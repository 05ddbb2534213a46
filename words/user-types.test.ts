import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  API_USER_TYPES,
  apiUserTypeInWords,
  asUserType,
  fromApiUserType,
  isApiUserType,
  roleInText,
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

test('a sentence has the article of a role, and small letters, whichever form it is named by', () => {
  assert.deepEqual(
    USER_TYPES.map((type) => [asUserType(type), roleInText(type)].join(' | ')),
    [
      'as staff | escrow team',
      'as a surrogate | surrogate',
      'as a case manager | case manager',
      'as an agency owner | agency owner',
      'as an intended parent | parent',
      'as a parents’ representative | representative',
    ],
  );
  for (const type of USER_TYPES) assert.equal(asUserType(toApiUserType(type)), asUserType(type));
});
