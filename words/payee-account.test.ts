import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountChangeWords } from './payee-account.ts';

const clock = { zone: 'America/New_York', now: Date.parse('2026-11-25T16:00:00Z') };
const account = {
  last_four: '7766',
  previous_last_four: '4321',
  changed_at: '2026-11-24T03:00:00Z',
  changed_since_approval: true,
};

test('[BANK-9] a changed account is named with its last four digits before and after', () => {
  assert.equal(
    accountChangeWords('Sarah Lindgren', account, clock),
    'Sarah Lindgren changed bank accounts on Mon, Nov 23: …4321 before, …7766 now. This was approved for the previous one.',
  );
});

test('[BANK-9] a change is pointed out for 30 days, and longer after an approval for the previous account', () => {
  const words = (changed_at: string, changed_since_approval: boolean) =>
    accountChangeWords('Sarah', { ...account, changed_at, changed_since_approval }, clock);
  assert.match(words('2026-10-26T16:00:00Z', false) ?? '', /on Mon, Oct 26: …4321 before, …7766 now\.$/);
  assert.equal(words('2026-10-26T15:59:59Z', false), null);
  assert.match(words('2026-01-26T15:59:59Z', true) ?? '', /approved for the previous one/);
  assert.equal(accountChangeWords('Sarah', { ...account, previous_last_four: null }, clock), null, 'a first account');
  assert.equal(accountChangeWords('Sarah', null, clock), null);
});
