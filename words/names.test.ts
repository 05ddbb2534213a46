import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_STATES, caseStateInWords } from './case-states.ts';
import { counted } from './counts.ts';
import { initials, namesInShort } from './names.ts';
import { sentence } from './sentence.ts';

test('initials are those of the first and the last name', () => {
  assert.equal(initials('Mark Alvarez-Thompson'), 'MA');
  assert.equal(initials('Élodie'), 'É');
  assert.equal(initials('𝒜da 𝒷yron'), '𝒜𝒷');
  assert.equal(initials('42'), '?');
});

test('many names fit into one line', () => {
  assert.equal(namesInShort(['Ann']), 'Ann');
  assert.equal(namesInShort(['Ann', 'Bea']), 'Ann and Bea');
  assert.equal(namesInShort(['Ann', 'Bea', 'Cem']), 'Ann, Bea and 1 more');
  assert.equal(namesInShort(['Ann', 'Bea', 'Cem', 'Dia']), 'Ann, Bea and 2 more');
});

test('codes and states become words, also those that this version does not know', () => {
  assert.deepEqual(['photo_id', ' id_of_paid ', 'case_idle', ''].map(sentence), ['Photo ID', 'ID of paid', 'Case idle', '']);
  assert.deepEqual(
    CASE_STATES.map((state) => [state, caseStateInWords(state).words, caseStateInWords(state).mark]),
    [
      ['intake', 'Intake', ''],
      ['pending_funding', 'Waiting for funds', 'is-waiting'],
      ['active', 'Active', 'is-active'],
      ['on_hold', 'On hold', 'is-waiting'],
      ['closing', 'Closing', ''],
      ['closed', 'Closed', ''],
      ['cancelled', 'Cancelled', ''],
    ],
  );
  assert.equal(caseStateInWords('some_new_state').words, 'Some new state');
});

test('counts are singular for one only, and have separators', () => {
  const words = [0, 1, 2, 1200].map((count) => counted(count, 'reply', 'replies'));
  assert.deepEqual(words, ['0 replies', '1 reply', '2 replies', '1,200 replies']);
  assert.deepEqual([counted(1, 'file'), counted(0, 'file')], ['1 file', '0 files']);
});
