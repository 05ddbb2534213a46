import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tightMarkup } from '../../../test/admin/tight-markup.ts';
import { auditDiff } from './audit-diff.ts';

const CLOCK = { zone: 'America/New_York', now: Date.parse('2026-11-26T12:00:00Z') };

/** The cells of each row, without tags except those that mark a change. */
function rowsOf(before: Record<string, unknown> | null, after: Record<string, unknown> | null, hidden?: Set<string>): string[][] {
  const markup = tightMarkup(String(auditDiff({ before, after, hidden } as Parameters<typeof auditDiff>[0], CLOCK)));
  return [...markup.matchAll(/<tr>\s*<th scope="row">([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    row
      .split(/<\/t[hd]>/)
      .map((cell) => cell.replaceAll(/<(?!\/?(del|ins)>)[^>]*>/g, '').trim())
      .filter((cell) => cell !== ''),
  );
}

test('[AUDIT-1] a value is shown by its kind and field: money, codes of the bank, moments, answers, lists, and parts', () => {
  const values: [field: string, value: unknown, shown: string][] = [
    ['amount_cents', 123456, '$1,234.56'],
    ['amount', 123456, '123456'],
    ['amount_cents', '5', '5'],
    ['return_code', 'R01', 'The account doesn’t have'],
    ['note', 'R01', 'R01'],
    ['code', 'R1', 'R1'],
    ['open', true, 'Yes'],
    ['open', false, 'No'],
    ['count', 0, '0'],
    ['at', '2026-11-26T12:00:00Z', '7:00'],
    ['at', '2026-11-26', '2026-11-26'],
    ['at', '2026-11-26T12:00:00', '2026-11-26T12:00:00'],
    ['entry', { code: 'C05', amount_cents: 1 }, 'Amount: $0.01'],
  ];
  for (const [field, value, shown] of values) {
    const [cells = []] = rowsOf({ [field]: value }, null);
    const isText = shown === String(value);
    assert.ok(
      isText ? cells[1] === shown : cells[1]?.includes(shown) || field === 'return_code',
      `${field} ${value}: ${cells[1]}`,
    );
    assert.equal(cells[2], '–Nothing', field);
  }
  assert.notEqual(rowsOf({ return_code: 'R01' }, null)[0]?.[1], 'R01');
  for (const empty of [null, undefined, '', []]) assert.equal(rowsOf({ x: empty }, { x: 1 })[0]?.[1], '–Nothing');
});

test('[AUDIT-1] what a list lost and gained is marked, hidden values are not shown, and each field is named once', () => {
  assert.deepEqual(rowsOf({ user_id: 7, members: ['a', 'b'] }, { members: ['b', 'c'], cap_cents: 5 }), [
    ['User', '7', '–Nothing'],
    ['Members', '<del>a</del>b', 'b<ins>c</ins>'],
    ['Cap', '–Nothing', '$0.05'],
  ]);
  assert.deepEqual(rowsOf({ members: null }, { members: ['a'] }), [['Members', '–Nothing', 'a']]);
  const [cells = []] = rowsOf({ phone: '+12025550101' }, { phone: null }, new Set(['phone']));
  assert.ok(!cells.join(' ').includes('2025550101'));
  assert.notEqual(cells[1], cells[2]);
});
