import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_1 } from '../../support/cast.ts';
import { addCategories } from '../../support/categories.ts';
import { ASKED } from '../../support/money.ts';
import { startApi } from '../../support/platform.ts';

/** The limits of a request, checked at the last accepted value and at the next one. */

const api = await startApi();
const surrogate = await api.as('surrogate');
const statusFor = async (fields: object) =>
  (await surrogate.post(`/api/cases/${CASE_1}/disbursements`, { ...ASKED, ...fields })).status;

await addCategories(api.pool, [CASE_1], ['€'.repeat(100), 'a']);

const LIMITS: [string, taken: object, refused: object][] = [
  ['an amount of a cent', { amount_cents: 1 }, { amount_cents: 0 }],
  ['an amount of $99,999,999.99', { amount_cents: 9_999_999_999 }, { amount_cents: 10_000_000_000 }],
  ['a category of 100 characters', { category: '€'.repeat(100) }, { category: '€'.repeat(101) }],
  ['a description of 2,000 characters', { description: '€'.repeat(2000) }, { description: '€'.repeat(2001) }],
  ['a category of one character', { category: 'a' }, { category: ' ' }],
];

for (const [what, taken, refused] of LIMITS) {
  test(`[REQUEST-3] ${what} is accepted, and one step more is not`, async () => {
    assert.equal(await statusFor(taken), 201);
    assert.equal(await statusFor(refused), 422);
  });
}

test('[ACCOUNT-4] a category that is a formula is rejected, also after a space, and a description may begin like one', async () => {
  for (const sign of ['=', '+', '-', '@']) {
    for (const text of [`${sign}1`, `  ${sign}1`, `\t${sign}1`]) {
      assert.equal(await statusFor({ category: text }), 422, JSON.stringify(text));
    }
    for (const text of [`${sign} taxi $20\n${sign} hotel $300`, `${sign}1`, `1 ${sign} 1`])
      assert.equal(await statusFor({ description: text }), 201, text);
  }
});
