import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Disbursement } from '../../api/api-shapes.ts';
import { outcomeWords } from './outcome-words.ts';

const CLOCK = { zone: 'UTC', now: Date.parse('2026-11-26T02:00:00Z') };
const words = (kind: 'approved' | 'denied', whereabouts: object) =>
  outcomeWords(
    {
      kind,
      request: {
        amount_cents: 300_00,
        submitted_by: { name: 'Sarah Lindgren' },
        whereabouts: { state: 'approved', arrives: { date: '2026-11-30', if: null }, why: null, ...whereabouts },
      } as Disbursement,
    },
    CLOCK,
  );

test('[HOME-5] a decision says what happened and when the money should arrive', () => {
  assert.equal(words('approved', {}), 'Approved. $300.00 is set aside and should arrive Mon, Nov 30.');
  assert.equal(words('approved', { arrives: null }), 'Approved. $300.00 is set aside.');
  assert.equal(
    words('approved', { state: 'on_hold', arrives: null, why: 'Sarah Lindgren hasn’t added a bank account yet.' }),
    'Approved. $300.00 is set aside. It’s on hold: Sarah Lindgren hasn’t added a bank account yet.',
  );
  const conditional = { state: 'on_hold', arrives: { date: '2026-11-30', if: 'Sam adds one' }, why: 'Sam has no account.' };
  assert.match(
    words('approved', conditional),
    /^Approved\. \$300\.00 is set aside and would arrive Mon, Nov 30\. It’s on hold: Sam/,
  );
  assert.equal(words('denied', {}), 'Denied. Sarah Lindgren can read your reason, and nothing is paid.');
});
