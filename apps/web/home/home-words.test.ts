import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Home } from '../api/api-shapes.ts';
import { waitingWords } from './home-words.ts';

const ME = { id: 7 };
const home = (decisions: number, returnedTo: number[], unread_chains: number) =>
  ({
    decisions: Array.from({ length: decisions }, () => ({})),
    returned: returnedTo.map((user_id) => ({ payee: { user_id } })),
    unread_chains,
  }) as unknown as Home;

test('[HOME-2] the home page begins with what waits for its reader, in one sentence', () => {
  assert.equal(waitingWords(home(0, [], 0), ME), 'You’re all caught up.');
  assert.equal(waitingWords(home(1, [], 0), ME), '1 request is waiting for you.');
  assert.equal(waitingWords(home(0, [7], 2), ME), '1 returned payment and 2 conversations are waiting for you.');
  assert.equal(waitingWords(home(2, [7, 7], 1), ME), '2 requests, 2 returned payments and 1 conversation are waiting for you.');
});

test('a returned payment waits for its payee only', () => {
  assert.equal(waitingWords(home(0, [8], 1), ME), '1 conversation is waiting for you.');
  assert.equal(
    waitingWords(home(0, [8], 0), ME),
    'Nothing is waiting for you. The bank sent back 1 payment.',
    'a reader who is not the payee does not read that all is well',
  );
});
