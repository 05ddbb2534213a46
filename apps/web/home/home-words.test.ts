import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Home } from '../api/api-shapes.ts';
import { enoughWords, waitingWords } from './home-words.ts';

const ME = { id: 7 };
interface Waiting {
  decisions: number;
  returnedTo: number[];
  unread_chains: number;
  drafts: ('draft' | 'send_again')[];
  account: 'add' | 'replace';
}
const home = ({ decisions = 0, returnedTo = [], unread_chains = 0, drafts = [], account }: Partial<Waiting>) =>
  ({
    decisions: Array.from({ length: decisions }, () => ({})),
    returned: returnedTo.map((user_id) => ({ payee: { user_id } })),
    unread_chains,
    drafts: drafts.map((state) => ({ whereabouts: { state } })),
    incoming: { account: account ?? null },
  }) as unknown as Home;
const words = (waiting: Partial<Waiting>) => waitingWords(home(waiting), ME);

test('[HOME-2] the home page begins with what waits for its reader, in one sentence', () => {
  assert.equal(words({}), 'You’re all caught up.');
  assert.equal(words({ decisions: 1 }), '1 request is waiting for you.');
  assert.equal(words({ returnedTo: [7], unread_chains: 2 }), '1 returned payment and 2 conversations are waiting for you.');
  assert.equal(
    words({ decisions: 2, returnedTo: [7, 7], unread_chains: 1 }),
    '2 requests, 2 returned payments and 1 conversation are waiting for you.',
  );
});

test('[HOME-2] what was sent back, a missing account, and a draft wait too, so the reader is not all caught up', () => {
  const back = { drafts: ['send_again', 'send_again'] as const };
  assert.equal(words({ drafts: [...back.drafts] }), '2 requests to send again are waiting for you.');
  assert.equal(words({ drafts: ['draft'] }), '1 draft is waiting for you.');
  assert.equal(words({ account: 'add' }), 'Your bank account is waiting for you.');
  assert.equal(
    words({ account: 'replace', drafts: ['draft', 'send_again'] }),
    'A change of your bank account, 1 request to send again and 1 draft are waiting for you.',
  );
});

test('[HOME-2] a returned payment waits for its payee only', () => {
  assert.equal(words({ returnedTo: [8], unread_chains: 1 }), '1 conversation is waiting for you.');
  assert.equal(
    words({ returnedTo: [8] }),
    'Nothing is waiting for you. The bank sent back 1 payment.',
    'a reader who is not the payee does not read that all is well',
  );
});

test('[PROJECTION-2] parents read until when their money is enough', () => {
  const enough = (planned_cents: number, month: string | null) =>
    enoughWords({ planned_cents, shortfall: month === null ? null : { month } }, '2027-02-28');
  assert.equal(enough(5, '2027-03'), 'Enough until March 2027');
  assert.equal(enough(5, '2027-02'), 'Not enough for February 2027');
  assert.equal(enough(5, null), 'Enough for everything that’s planned');
  assert.equal(enough(0, null), null);
});
