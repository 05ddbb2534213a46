import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UNUSUAL_KINDS, type UnusualFacts, type UnusualKind, whatIsUnusual } from './what-is-unusual.ts';

const NOW = new Date('2026-11-23T16:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 24 * 3_600_000);
const USUAL: UnusualFacts = {
  disbursement_id: 7,
  amount_cents: 30_000,
  category: 'Travel',
  first_name: 'Sarah',
  last_name: 'Lindgren',
  agency_name: null,
  holder_name: 'Sarah Lindgren',
  account_since: daysAgo(200),
  had_other_account: false,
  was_paid_before: true,
  usual_cents: 30_000,
  alike: null,
};

/** One way to cause each reason, its sentence, and facts just short of it. */
const TABLE: Record<UnusualKind, { facts: Partial<UnusualFacts>; sentence: string; almost: Partial<UnusualFacts>[] }> = {
  account_changed: {
    facts: { had_other_account: true, account_since: new Date('2026-11-20T02:00:00Z') },
    // The day in New York.
    sentence: 'The bank account was changed on November 19, 2026.',
    almost: [
      { had_other_account: true, account_since: daysAgo(30) },
      { had_other_account: false, account_since: daysAgo(1) },
    ],
  },
  first_payment: {
    facts: { was_paid_before: false },
    sentence: 'First payment to this account.',
    almost: [{ was_paid_before: true }],
  },
  other_holder: {
    facts: { holder_name: 'Sara Lindgren' },
    sentence: 'The account holder is Sara Lindgren, not Sarah Lindgren.',
    almost: [
      { holder_name: 'LINDGREN, Sarah M.' },
      { first_name: 'Sárah', last_name: 'Lindgren', holder_name: 'Sarah Lindgren' },
      { holder_name: 'Fernhill Surrogacy LLC', agency_name: 'Fernhill Surrogacy' },
    ],
  },
  above_usual: {
    facts: { amount_cents: 60_001 },
    sentence: 'More than twice the usual $300.00 for Travel.',
    almost: [{ amount_cents: 60_000 }, { amount_cents: 999_999, usual_cents: null }],
  },
  alike: {
    facts: { alike: 'Flight to the clinic' },
    sentence: 'Another payment of $300.00 to the same person: Flight to the clinic.',
    almost: [{ alike: null }],
  },
};

test('[BATCH-11] each unusual fact about a payment is named, facts just short of it are not, and several are named together', () => {
  assert.deepEqual(Object.keys(TABLE), UNUSUAL_KINDS);
  assert.deepEqual(whatIsUnusual(USUAL, NOW), []);
  for (const kind of UNUSUAL_KINDS) {
    const { facts, sentence, almost } = TABLE[kind];
    assert.deepEqual(whatIsUnusual({ ...USUAL, ...facts }, NOW), [{ kind, sentence }]);
    for (const one of almost) assert.deepEqual(whatIsUnusual({ ...USUAL, ...one }, NOW), [], `${kind}: ${JSON.stringify(one)}`);
  }
  const all = Object.assign({ ...USUAL }, ...UNUSUAL_KINDS.map((kind) => TABLE[kind].facts));
  assert.deepEqual(
    whatIsUnusual(all, NOW).map(({ kind }) => kind),
    UNUSUAL_KINDS,
  );
  // A company account that is neither its agency's nor its owner's.
  const other = { ...USUAL, agency_name: 'Fernhill Surrogacy', holder_name: 'Fern Hill Surrogacy' };
  assert.deepEqual(whatIsUnusual(other, NOW)[0]?.kind, 'other_holder');
});
