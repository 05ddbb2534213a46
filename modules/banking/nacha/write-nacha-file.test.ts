import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { InvalidInputError } from '@case-platform/lib/errors';
import fc from 'fast-check';
import { checkNachaText } from '../../../test/support/check-nacha-text.ts';
import { toAchText } from './ach-text.ts';
import { sameDayWindow, toBankClock } from './bank-clock.ts';
import { explainNachaFile } from './explain-nacha-file.ts';
import type { NachaInput } from './require-valid-nacha-input.ts';
import { isRoutingNumber } from './routing-number.ts';
import { countEntriesAtMost, type Payment } from './write-batch.ts';
import { writeNachaFile } from './write-nacha-file.ts';

const golden = (name: string) => readFileSync(new URL(`./golden/${name}.ach`, import.meta.url), 'utf8');

const BANK = {
  routing_number: '091000019',
  bank_name: 'First Example Bank',
  immediate_origin: '1123456789',
  company_name: 'Case Platform',
  company_id: '1123456789',
  entry_description: 'PAYMENT',
  offset: { routing_number: '091000019', account_number: '5550001112', account_kind: 'checking' as const },
};

const payment = (id: number, given: Partial<Payment> = {}): Payment => ({
  id,
  name: 'Sam Surrogate',
  routing_number: '021000021',
  account_number: `10000${id}`,
  account_kind: 'checking',
  holder_kind: 'person',
  is_compensation: false,
  amount_cents: 12_345,
  reference: `DR ${id}`,
  ...given,
});

const input = (given: Partial<NachaInput> = {}): NachaInput => ({
  bank: BANK,
  payments: [
    payment(1),
    payment(2, { name: 'Zoë Ångström', account_kind: 'savings', amount_cents: 250_000 }),
    payment(3, { name: 'Agency One LLC', holder_kind: 'company', routing_number: '121042882', amount_cents: 1 }),
  ],
  created_at: new Date('2026-11-23T16:05:00Z'),
  effective_date: '2026-11-24',
  same_day: false,
  file_id_modifier: 'A',
  first_trace_sequence: 1,
  ...given,
});

const refusal = (given: Partial<NachaInput>): string[] => {
  try {
    writeNachaFile(input(given));
  } catch (error) {
    assert.ok(error instanceof InvalidInputError, String(error));
    return error.errors.map(({ field }) => field);
  }
  return [];
};

test('[NACHA-1] a balanced file: PPD and CCD, each with its offset, as in the golden file', () => {
  const file = writeNachaFile(input());
  assert.equal(file.text, golden('balanced'));
  const checked = checkNachaText(file.text);
  assert.equal(checked.debit, checked.credit);
  assert.deepEqual([file.credit_cents, file.debit_cents, file.entries], [262_346, 262_346, 5]);
  assert.deepEqual(
    [...file.traces],
    [
      [1, '091000010000001'],
      [2, '091000010000002'],
      [3, '091000010000004'],
    ],
  );
});

test('[NACHA-1] an unbalanced file on the same day, with notes, as in the golden file', () => {
  const bank = { ...BANK, offset: null };
  const payments = [payment(7, { note: 'Request 7' }), payment(8, { note: 'Request 8, for travel' })];
  const file = writeNachaFile(input({ bank, payments, same_day: true, effective_date: '2026-11-23' }));
  assert.equal(file.text, golden('unbalanced'));
  const checked = checkNachaText(file.text);
  assert.deepEqual([checked.debit, checked.credit], [0, 24_690]);
});

test('in a balanced file with notes, only the amounts are offset', () => {
  const payments = [payment(1, { note: 'One' }), payment(2, { note: 'Two' })];
  const { text, entries } = writeNachaFile(input({ payments }));
  assert.equal(entries, 3);
  assert.equal(checkNachaText(text).debit, 24_690);
});

test('names are written in ASCII and cut to the width of their field', () => {
  const names = {
    'Renée Müller-Ørsted': 'Renee Muller-Orsted',
    'Łukasz “Luke” O’Brien': 'Lukasz "Luke" O\'Brien',
    'Maximiliana Wolfeschlegelsteinhausen': 'Maximiliana Wolfeschle',
    '=HYPERLINK("x")': '=HYPERLINK("x")',
    'Two\r\n9000001\tlines': 'Two 9000001 lines',
    'Nguyễn Thị 明': 'Nguyen Thi',
    'Straße 👶 Ærø': 'Strasse AEro',
  };
  const payments = Object.keys(names).map((name, index) => payment(index + 1, { name }));
  const { text } = writeNachaFile(input({ payments }));
  const written = checkNachaText(text).entries.slice(0, payments.length);
  assert.deepEqual(
    written.map(({ name }) => name),
    Object.values(names),
  );
});

test('letters and signs without an accent to drop are respelled one by one', () => {
  const spellings = {
    'ß ẞ æ Æ œ Œ ø Ø': 'ss SS ae AE oe OE o O',
    'đ Đ ð Ð þ Þ ł Ł': 'd D d D th Th l L',
    'ħ Ħ ı ŋ Ŋ': 'h H i n N',
    '‘a’ aʼ “a” a–a—a−a‐a‑a': `'a' a' "a" a-a-a-a-a-a`,
    'ﬁ ² ½': 'fi 2 12',
  };
  for (const [written, spelled] of Object.entries(spellings)) assert.equal(toAchText(written), spelled);
});

test('[NACHA-2] payments and settings that a file cannot hold are rejected, each payment by its id', () => {
  const cases: [Partial<Payment>, boolean][] = [
    [{ amount_cents: -1 }, false],
    [{ amount_cents: 0 }, false],
    [{ amount_cents: 0.001 }, false],
    [{ amount_cents: Number.NaN }, false],
    [{ amount_cents: 10_000_000_000 }, false],
    [{ amount_cents: 9_999_999_999 }, true],
    [{ routing_number: '021000022' }, false],
    [{ routing_number: '000000000' }, false],
    [{ routing_number: '990000008' }, false],
    [{ account_number: '' }, false],
    [{ account_number: '123456789012345678' }, false],
    [{ account_number: '12 34' }, false],
    [{ account_number: '1234\n5' }, false],
    [{ name: '明' }, false],
    [{ reference: 'DR 1234567890123' }, false],
  ];
  for (const [given, fits] of cases) {
    assert.deepEqual(refusal({ payments: [payment(9, given)] }), fits ? [] : ['payments.9'], JSON.stringify(given));
  }
  assert.deepEqual(refusal({ payments: [] }), ['payments']);
  assert.deepEqual(refusal({ same_day: true, payments: [payment(9, { amount_cents: 100_000_001 })] }), ['payments.9']);
  assert.deepEqual(refusal({ first_trace_sequence: 9_999_999 }), ['first_trace_sequence']);
  for (const effective_date of ['2026-11-26', '2026-11-28', '2026-11-31', '2026-13-01', 'soon'])
    assert.deepEqual(refusal({ effective_date }), ['effective_date'], effective_date);
  assert.deepEqual(refusal({ file_id_modifier: '' }), ['file_id_modifier']);
  assert.deepEqual(refusal({ bank: { ...BANK, company_id: '12345678901', routing_number: '1' } }), [
    'bank.routing_number',
    'bank.company_id',
  ]);
});

test('an offset too large for one entry is split, and a total too large for a file is rejected', () => {
  const many = Array.from({ length: 3 }, (_, index) => payment(index + 1, { amount_cents: 9_999_999_999 }));
  const checked = checkNachaText(writeNachaFile(input({ payments: many })).text);
  assert.deepEqual([checked.debit, checked.credit, checked.entries.length], [29_999_999_997, 29_999_999_997, 6]);
  const full = Array.from({ length: 101 }, (_, index) => payment(index + 1, { amount_cents: 9_999_999_999 }));
  assert.deepEqual(refusal({ payments: full }), ['payments']);
});

test('the entry hash has the rightmost ten digits, and blocks are filled', () => {
  const payments = Array.from({ length: 1200 }, (_, index) => payment(index + 1, { routing_number: '322271627' }));
  const { text } = writeNachaFile(input({ payments }));
  assert.ok(1200n * 32_227_162n > 10n ** 10n);
  checkNachaText(text);
  for (let count = 1; count <= 12; count += 1) {
    checkNachaText(writeNachaFile(input({ payments: payments.slice(0, count) })).text);
  }
});

test('[NACHA-1] a file is shown record by record, with account numbers masked', () => {
  const records = explainNachaFile(golden('balanced'));
  assert.deepEqual(
    records.map(({ title }) => title),
    [
      'File header',
      'Batch 1',
      'Entry',
      'Entry',
      'Offset',
      'End of batch 1',
      'Batch 2',
      'Entry',
      'Offset',
      'End of batch 2',
      'End of the file',
      'Fill',
    ],
  );
  assert.match(records[0]?.words ?? '', /First Example Bank .* November 23, 2026 at 11:05 AM Eastern time, file A/);
  assert.match(records[1]?.words ?? '', /people \(PPD\) .* effective Tuesday, November 24, 2026\./);
  assert.match(records[3]?.words ?? '', /^\$2,500\.00 to Zoe Angstrom, the savings account ending in 0002 /);
  assert.match(records[5]?.words ?? '', /\$2,623\.45 paid out, \$2,623\.45 collected/);
  assert.ok(records.every(({ text }) => text.length === 94 && !/5550001112|021100001 /.test(text)));
  assert.match(explainNachaFile(golden('unbalanced'))[1]?.words ?? '', /on the same day/);
  const hidden = JSON.stringify(explainNachaFile(golden('balanced'), { last_four: false }));
  assert.doesNotMatch(hidden, /1112 |\b0002 at|100002 /);
  assert.doesNotMatch(hidden, /ending in/);
});

test('[NACHA-3] a same-day file names the window that its minute still reaches, in winter and in summer', () => {
  const windows = [
    ['00:00', '1300'],
    ['10:29', '1300'],
    ['10:30', '1700'],
    ['14:44', '1700'],
    ['14:45', '1800'],
    ['16:44', '1800'],
    ['16:45', '1800'],
    ['23:59', '1800'],
  ] as const;
  for (const [day, offset] of [
    ['2026-11-23', '-05:00'],
    ['2026-07-01', '-04:00'],
  ] as const)
    for (const [time, settles] of windows) {
      const at = new Date(`${day}T${time}:59${offset}`);
      assert.equal(sameDayWindow(at), settles, `${day} ${time}`);
      assert.deepEqual(toBankClock(at), { date: day.slice(2).replaceAll('-', ''), time: time.replace(':', '') });
    }
});

test('[NACHA-2] limits of a file are reached and not exceeded', () => {
  const whole = Array.from({ length: 100 }, (_, index) => payment(index + 1, { amount_cents: 9_999_999_999 }));
  assert.deepEqual(refusal({ payments: [...whole, payment(101, { amount_cents: 99 })] }), []);
  assert.deepEqual(refusal({ payments: [...whole, payment(101, { amount_cents: 100 })] }), ['payments']);
  const sameDay = (amount_cents: number) => refusal({ same_day: true, payments: [payment(9, { amount_cents })] });
  assert.deepEqual([sameDay(100_000_000), sameDay(100_000_001)], [[], ['payments.9']]);
  // Three payments, and a spare number for the debit of each of the four batches that a file can have.
  const from = (first_trace_sequence: number) => refusal({ first_trace_sequence });
  assert.deepEqual([from(1), from(0)], [[], ['first_trace_sequence']]);
  assert.deepEqual([from(9_999_993), from(9_999_994)], [[], ['first_trace_sequence']]);
  for (const file_id_modifier of ['A', 'Z', '0', '9']) assert.deepEqual(refusal({ file_id_modifier }), []);
  for (const file_id_modifier of ['a', 'AA', '-']) assert.deepEqual(refusal({ file_id_modifier }), ['file_id_modifier']);
  const account = (account_number: string) => refusal({ payments: [payment(9, { account_number })] });
  assert.deepEqual([account('1'.repeat(17)), account('1-A'), account('1')], [[], [], []]);
  for (const account_number of ['1'.repeat(18), '-1', '1-'])
    assert.deepEqual(account(account_number), ['payments.9'], account_number);
  const reference = (text: string) => refusal({ payments: [payment(9, { reference: text })] });
  assert.deepEqual([reference('DR 123456789012'), reference('DR 1234567890123')], [[], ['payments.9']]);
  for (const field of ['immediate_origin', 'company_id'] as const) {
    const bank = (text: string) => refusal({ bank: { ...BANK, [field]: text } });
    assert.deepEqual([bank('1'), bank('1234567890')], [[], []], field);
    for (const text of ['', '12345678901', ' 1', '1 ']) assert.deepEqual(bank(text), [`bank.${field}`], text);
  }
  assert.deepEqual(refusal({ bank: { ...BANK, offset: { ...BANK.offset, routing_number: '1' } } }), ['bank.offset']);
  assert.deepEqual(refusal({ bank: { ...BANK, company_name: '明' } }), ['bank.company_name']);
});

test('[BANK-4] of the hundred prefixes of a routing number only those assigned by the Federal Reserve are valid', () => {
  const IN_USE = [...span(0, 12), ...span(21, 32), ...span(61, 72), 80];
  const valid = span(0, 99).filter((prefix) => {
    const eight = `${String(prefix).padStart(2, '0')}100001`;
    const numbers = span(0, 9).filter((check) => isRoutingNumber(`${eight}${check}`));
    assert.ok(numbers.length <= 1, `${eight} has one check digit`);
    return numbers.length === 1;
  });
  assert.deepEqual(valid, IN_USE);
});

function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

test('[NACHA-1, NACHA-6] whatever a file pays, its controls are correct and each batch has one class and one description', () => {
  const payments = fc.array(
    fc.record({
      holder_kind: fc.constantFrom('person' as const, 'company' as const),
      is_compensation: fc.boolean(),
      amount_cents: fc.oneof(fc.integer({ min: 1, max: 500_000 }), fc.constant(9_999_999_999)),
      routing_number: fc.constantFrom('021000021', '322271627', '121042882'),
      note: fc.option(fc.constant('A note'), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 40 },
  );
  const anything = fc.record({ payments, balanced: fc.boolean(), sequence: fc.integer({ min: 1, max: 9_000_000 }) });
  fc.assert(
    fc.property(anything, ({ payments: given, balanced, sequence }) => {
      const paid = given.map((one, index) => payment(index + 1, one));
      const bank = balanced ? BANK : { ...BANK, offset: null };
      const file = writeNachaFile(input({ bank, payments: paid, first_trace_sequence: sequence }));
      const { entries, debit, credit } = checkNachaText(file.text);
      const total = paid.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
      assert.deepEqual([credit, debit, file.credit_cents], [total, balanced ? total : 0, total]);
      assert.equal(file.entries, entries.length);
      assert.ok(entries.length <= countEntriesAtMost(paid));
      assert.deepEqual(
        entries.map(({ trace }) => Number(trace.slice(8))),
        entries.map((_, index) => sequence + index),
      );
      const groupOf = ({ holder_kind, is_compensation }: Payment) =>
        `${holder_kind === 'person' ? 'PPD' : 'CCD'} ${is_compensation ? 'PAYROLL' : 'PAYMENT'}`;
      const written = batchesOf(file.text);
      assert.deepEqual(written.map(({ group }) => group).toSorted(), [...new Set(paid.map(groupOf))].toSorted());
      for (const { group, traces } of written) {
        const own = paid.filter((one) => groupOf(one) === group);
        assert.ok(
          own.every(({ id }) => traces.includes(file.traces.get(id) ?? '')),
          group,
        );
      }
    }),
  );
});

/** Reads the class, the description, and the traces of each batch of a file by position. */
function batchesOf(text: string): { group: string; traces: string[] }[] {
  const batches: { group: string; traces: string[] }[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('5')) batches.push({ group: `${line.slice(50, 53)} ${line.slice(53, 63).trim()}`, traces: [] });
    if (line.startsWith('6')) batches.at(-1)?.traces.push(line.slice(79));
  }
  return batches;
}
