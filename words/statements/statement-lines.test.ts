import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cashLineWords, groupByMonth, monthTotalWords, setAsideWords } from './statement-lines.ts';

test('[STATEMENT-1] a line says what moved, what for, and to or from whom', () => {
  for (const [line, expected] of [
    [{ kind: 'deposit', category: null, payee: null }, 'Deposit'],
    [{ kind: 'refund', category: null, payee: null }, 'Refund'],
    [{ kind: 'payment', category: 'travel', payee: 'Sarah Lindgren' }, 'Payment · Travel · to Sarah Lindgren'],
    [{ kind: 'return', category: 'lost_wages', payee: 'Sarah Lindgren' }, 'Returned payment · Lost wages · from Sarah Lindgren'],
    [{ kind: 'payment', category: '', payee: '' }, 'Payment'],
  ] as const)
    assert.equal(cashLineWords(line), expected);
});

test('[STATEMENT-1] what is set aside names the day of its arrival only while that is certain', () => {
  const words = (arrives: { date: string; if: string | null } | null) =>
    setAsideWords({ category: 'travel', payee: 'Sarah Lindgren', whereabouts: { label: 'Approved', arrives } });
  const note = 'Approved · Travel · to Sarah Lindgren';
  assert.deepEqual(words({ date: '2026-12-01', if: null }), { day: 'Dec 1, 2026', note });
  assert.deepEqual(words({ date: '2026-12-01', if: 'it is approved today' }), { day: '–', note });
  assert.deepEqual(words(null), { day: '–', note });
});

test('[STATEMENT-7] a month with a total has its own lines below it, and without totals all lines are one group', () => {
  const lines = ['2025-11-30', '2026-11-01', '2026-11-30', '2026-12-01'].map((date) => ({ date }));
  const [november, december] = [{ month: '2026-11' }, { month: '2026-12' }] as const;
  assert.deepEqual(groupByMonth(lines, [november, december]), [
    { month: november, lines: lines.slice(1, 3) },
    { month: december, lines: lines.slice(3) },
  ]);
  assert.deepEqual(groupByMonth(lines, []), [{ month: null, lines }]);
  assert.deepEqual(monthTotalWords({ month: '2026-11', in_cents: 1_234_500, out_cents: -50 }), {
    name: 'November 2026 total',
    totals: '$12,345.00 in, $0.50 out',
  });
});
