import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Disbursement } from '../../api/api-shapes.ts';
import { listChanges } from './list-changes.ts';

const sam = { user_type: 'surrogate', user_id: 1, name: 'Sarah Lindgren' } as const;
const OVER: Disbursement['benefit'] = {
  category: 'Travel',
  period: 'case',
  cap_cents: 100_000,
  used_cents: 75_000,
  held_cents: 0,
  left_cents: 25_000,
  over_by_cents: 5_000,
};
const seen = {
  status: 'submitted',
  amount_cents: 500,
  category: 'Travel',
  description: 'Train',
  payee: sam,
  benefit: null,
  files: [{ id: 1 } as Disbursement['files'][number]],
} as const satisfies Partial<Disbursement>;

test('[PERSON-6] a person who decides reads how the request differs from what they saw', () => {
  const cases: [Partial<Disbursement>, RegExp][] = [
    [{ amount_cents: 55_555 }, /^The amount was \$5\.00\. It is \$555\.55 now\.$/],
    [{ payee: { ...sam, user_id: 2, name: 'Paige Whitlock' } }, /^The payee was Sarah Lindgren\. It is Paige Whitlock now\.$/],
    [{ category: 'Food' }, /“Travel”.*“Food”/],
    [{ description: 'Plane' }, /“Train”.*“Plane”/],
    [{ benefit: OVER }, /^It’s more than the contract allows for Travel now: .* this goes \$50\.00 over\.$/],
    [{ files: [] }, /^The receipts changed/],
    [{}, /^Sarah Lindgren has a different bank account now\.$/],
    [{ status: 'draft' }, /^It was taken back, so there’s nothing to decide right now\.$/],
    [{ status: 'cancelled' }, /^It was taken back, so there’s nothing to decide right now\.$/],
  ];
  for (const [change, words] of cases) {
    const sentences = listChanges(seen, { ...seen, ...change });
    assert.equal(sentences.length, 1, sentences.join());
    assert.match(sentences[0] ?? '', words);
  }
  assert.equal(listChanges(seen, { ...seen, amount_cents: 1, category: 'Food' }).length, 2);
  assert.equal(listChanges(seen, { ...seen, amount_cents: 1, status: 'draft' }).length, 2);
  // Only a request that exceeds the limit by more than before is reported.
  const over = (cents: number) => ({ ...seen, benefit: { ...OVER, over_by_cents: cents } });
  assert.match(listChanges(over(5_000), over(5_001)).join(), /contract allows/);
  for (const cents of [5_000, 4_999, 0]) assert.doesNotMatch(listChanges(over(5_000), over(cents)).join(), /contract/);
  assert.match(listChanges(seen, over(1)).join(), /contract allows/);
});
