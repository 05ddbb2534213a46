import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountChangeWords, accountQuestionWords, changedAccountWords, groupAccountChanges } from './payee-account.ts';

const clock = { zone: 'America/New_York', now: Date.parse('2026-11-25T16:00:00Z') };
const account = {
  version: '9',
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

test('[BANK-9] all payments for a previous account are summed up in one text', () => {
  const four = { payee: 'Sarah Lindgren', account, count: 4, total_cents: 499_200 };
  assert.deepEqual(changedAccountWords(four, clock), {
    title: 'Sarah Lindgren changed bank accounts on Mon, Nov 23',
    text: 'From …4321 to …7766. 4 payments, $4,992.00, were approved for the previous account. Did Sarah tell you?',
  });
  const one = { ...four, payee: 'Cher', account: { ...account, previous_last_four: null }, count: 1 };
  assert.match(changedAccountWords(one, clock).text, /^It’s …7766 now\. 1 payment, .*, was approved .* Did Cher tell you\?$/);
  assert.equal(
    accountQuestionWords('Sarah Lindgren', account, clock),
    'Hi Sarah, on Mon, Nov 23 your bank account was changed to one ending in 7766. Was that you?',
  );
});

const SARAH = { user_id: 7, name: 'Sarah Lindgren' };
/** The fields that decide about a card. */
const ANY = { status: 'submitted', payee: SARAH, alarm: null, not_payable: null, covered: true, benefit: null };
type Waiting = Parameters<typeof groupAccountChanges>[0][number] & { id: number };
const request = (id: number, fields: Partial<Waiting> = {}): Waiting => ({
  id,
  amount_cents: id * 100,
  payee_account: account,
  ...ANY,
  ...fields,
});
const ofAnother = (id: number) => request(id, { payee: { user_id: 8, name: 'Mara' } });
const summary = (waiting: Waiting[]) =>
  groupAccountChanges(waiting).map(({ payee, payments, together, total_cents }) => [
    payee.name,
    payments.map(({ id }) => id),
    together.map(({ id }) => id),
    total_cents,
  ]);

test('[BANK-9] requests that were approved for the previous account make one card for each payee', () => {
  assert.deepEqual(summary([request(1), ofAnother(2), request(3)]), [
    ['Sarah Lindgren', [1, 3], [1, 3], 400],
    ['Mara', [2], [2], 200],
  ]);
});

test('[BANK-9] a request that was not approved before or was decided is on no card', () => {
  const first = request(1, { payee_account: { ...account, changed_since_approval: false } });
  assert.deepEqual(summary([first, request(2, { payee_account: null }), request(3, { status: 'approved' })]), []);
});

test('[BANK-9, CONTRACT-4] payments that need a reason, are not covered, or are stopped are not approved together', () => {
  const underReview = request(3, { not_payable: { reason: 'under_review' } });
  const waiting = [
    request(1, { benefit: { over_by_cents: 1 } }),
    request(2, { covered: false }),
    underReview,
    request(4, { covered: null }),
  ];
  assert.deepEqual(summary(waiting), [['Sarah Lindgren', [1, 2, 3, 4], [4], 1000]]);
});
