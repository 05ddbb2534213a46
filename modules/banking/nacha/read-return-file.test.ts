import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { InvalidInputError } from '@case-platform/lib/errors';
import { reasonInWords } from '@case-platform/words/bank-reasons';
import fc from 'fast-check';
import { fuzzing } from '../../../test/support/hostile/fuzzing.ts';
import { explainNachaFile } from './explain-nacha-file.ts';
import { readCorrection } from './read-correction.ts';
import { readReturnFile } from './read-return-file.ts';
import { isRoutingNumber } from './routing-number.ts';

const golden = readFileSync(new URL('./golden/returned.ach', import.meta.url), 'utf8');

test('[RETURN-5, RETURN-7] returns and notifications of change become typed entries with a sentence each', () => {
  const entries = readReturnFile(golden);
  assert.deepEqual(entries, [
    {
      kind: 'return',
      line: 3,
      code: 'R03',
      reason: reasonInWords('R03'),
      original_trace: '091000010000001',
      amount_cents: 12_345,
      name: 'Sam Surrogate',
    },
    {
      kind: 'return',
      line: 5,
      code: 'R02',
      reason: reasonInWords('R02'),
      original_trace: '091000010000009',
      amount_cents: 0,
      name: 'A returned prenote',
    },
    {
      kind: 'change',
      line: 9,
      code: 'C03',
      reason: reasonInWords('C03'),
      original_trace: '091000010000002',
      amount_cents: 0,
      name: 'Zoe Angstrom',
      correction: { routing_number: '121042882', account_number: '7654321' },
    },
  ]);
});

const lines = golden.trimEnd().split('\n');
/** The ways in which banks, mail programs, and editors wrap the same file. */
const WRAPPINGS: Record<string, string> = {
  'CR LF': lines.join('\r\n'),
  'CR CR LF': lines.join('\r\r\n'),
  'CR only': lines.join('\r'),
  'CR, and then a line feed at the end': `${lines.join('\r')}\n`,
  'no line ends': lines.join(''),
  'no line ends, with one at the end': `${lines.join('')}\r\n`,
  'no trailing blanks': lines.map((line) => line.trimEnd()).join('\n'),
  'lines of 96': lines.map((line) => line.padEnd(96)).join('\n'),
  'lines of 120, with a tab': lines.map((line) => `${line.padEnd(120)}\t`).join('\r\n'),
  'a blank line first': `\n${golden}`,
  'a line of blanks first': `${' '.repeat(94)}\r\n${golden}`,
  'blank lines between records': lines.join('\n\n'),
  'blank lines at the end': `${golden}\n\n \n`,
  'the end-of-file sign of DOS': `${golden}\x1A`,
  'the end-of-file sign, and line ends': `${golden}\x1A\r\n\x1A`,
  'zero bytes at the end': `${golden}${'\0'.repeat(512)}`,
  'a byte order mark': `\uFEFF${golden}`,
  'a byte order mark as bytes': `\u00EF\u00BB\u00BF${golden}`,
  'a byte order mark before a blank line': `\u00EF\u00BB\u00BF\r\n${golden}`,
  'no lines of nines': lines.filter((line) => line !== '9'.repeat(94)).join('\n'),
  'lines of the transmission program': `$$ADD ID=RETURNS BATCHID='ACHRET'\r\n${golden}$$END\r\n`,
  'codes in lower case': golden.replaceAll(/(?<=\n79[89])[RC]/g, (letter) => letter.toLowerCase()),
};

for (const [wrapping, text] of Object.entries(WRAPPINGS))
  test(`[RETURN-10] a return file is read the same with ${wrapping}`, () => {
    assert.notEqual(text, golden);
    assert.deepEqual(readReturnFile(text), readReturnFile(golden));
  });

test('[RETURN-10] blanks inside of a record are part of it', () => {
  for (const text of [golden.replace('\n6', '\n6 '), lines.map((line) => ` ${line}`).join('\n'), `x\n${golden}`])
    assert.throws(() => readReturnFile(text), InvalidInputError);
});

test('a file that was cut short or changed is rejected as a whole', () => {
  for (const drop of lines.keys()) {
    if (lines[drop] === '9'.repeat(94)) continue;
    assert.throws(() => readReturnFile(lines.filter((_, index) => index !== drop).join('\n')), InvalidInputError);
  }
  for (const [from, to] of [
    ['0000012345', '0000012346'],
    ['799R03', '799X03'],
    ['799R03091000010000001', '799R03ABC000010000001'],
  ] as const)
    assert.throws(() => readReturnFile(golden.replace(from, to)), InvalidInputError, from);
  for (const text of ['', '1', 'hello', '\n', '%PDF-1.7', '{"a":1}'])
    assert.throws(() => readReturnFile(text), InvalidInputError);
});

test('each figure of a control record is compared with what it closes, and the line is named', () => {
  const controls: [line: number, figures: Record<string, [start: number, end: number]>][] = [
    [7, { entries: [4, 10], hash: [10, 20], debit: [20, 32], credit: [32, 44] }],
    [11, { entries: [4, 10], hash: [10, 20], debit: [20, 32], credit: [32, 44] }],
    [12, { batches: [1, 7], entries: [13, 21], hash: [21, 31], debit: [31, 43], credit: [43, 55] }],
  ];
  for (const [line, figures] of controls)
    for (const [what, [start, end]] of Object.entries(figures)) {
      const record = lines[line - 1] ?? '';
      const more = String(Number(record.slice(start, end)) + 1).padStart(end - start, '0');
      const text = lines.with(line - 1, record.slice(0, start) + more + record.slice(end)).join('\n');
      assert.throws(
        () => readReturnFile(text),
        (error) => error instanceof InvalidInputError && error.errors[0]?.message.startsWith(`Line ${line} `) === true,
        `${what} of line ${line}`,
      );
    }
});

test('records out of order, and lines after the end of a file, are rejected by their line', () => {
  const headerAgain = lines.toSpliced(7, 0, lines[0] ?? '');
  const entryOutside = lines.toSpliced(7, 0, lines[2] ?? '');
  const batchWithin = lines.toSpliced(2, 0, lines[1] ?? '');
  const afterEnd = lines.toSpliced(12, 1, lines[1] ?? '');
  const unknownLine = lines.with(3, `2${lines[3]?.slice(1)}`);
  for (const [changed, line] of [
    [headerAgain, 8],
    [entryOutside, 8],
    [batchWithin, 3],
    [afterEnd, 13],
    [unknownLine, 4],
  ] as const)
    assert.throws(
      () => readReturnFile(changed.join('\n')),
      (error) => error instanceof InvalidInputError && error.errors[0]?.message.startsWith(`Line ${line} `) === true,
      String(line),
    );
});

test('for any input, reading ends with entries or a rejection', () => {
  const damaged = fc
    .tuple(fc.nat(golden.length), fc.string({ maxLength: 5 }), fc.nat(3))
    .map(([at, noise, cut]) => golden.slice(0, at) + noise + golden.slice(at + cut));
  const shuffled = fc.shuffledSubarray(lines).map((some) => some.join('\n'));
  const orRefused = (read: (text: string) => unknown, text: string) => {
    try {
      read(text);
    } catch (error) {
      assert.ok(error instanceof InvalidInputError, String(error));
    }
  };
  fc.assert(
    fc.property(fc.oneof(damaged, shuffled, fc.string()), (text) => {
      orRefused(readReturnFile, text);
      orRefused(explainNachaFile, text);
    }),
    fuzzing(300),
  );
});

/** Each file has ten megabytes, the most that staff can upload. */
const LARGE_FILES: Record<string, (size: number) => string> = {
  'lines of one character': (size) => '1\n'.repeat(size / 2),
  'empty lines between a header and a record': (size) => `${golden.slice(0, 95)}${'\n'.repeat(size)}9`,
  'carriage returns after a header': (size) => `${golden.slice(0, 95)}${'\r'.repeat(size)}9`,
  'headers without their end': (size) => `${golden.slice(0, 60)}\n`.repeat(size / 61),
  'one line': (size) => '1'.repeat(size),
  'one line of blanks before a character': (size) => `1${' '.repeat(size)}1`,
  'blanks only': (size) => ' '.repeat(size),
  'byte order marks': (size) => '\uFEFF'.repeat(size),
  'entries that name the same original entry': (size) => golden.replace(/^6.*\n7.*\n/m, (pair) => pair.repeat(size / 190)),
  'the end of the file, repeated': (size) => golden + `${'9'.repeat(94)}\n`.repeat(size / 95),
};
const LARGE_BYTES = 10 * 1024 * 1024;
const MOST_CPU_MS = 300 * 10;
const MOST_MEMORY_MIB = 160;

for (const [kind, make] of Object.entries(LARGE_FILES))
  test(`[RETURN-8] ten megabytes of ${kind} cost at most 300 ms of CPU a megabyte and bounded memory`, () => {
    const text = make(LARGE_BYTES);
    const memory = process.memoryUsage.rss();
    const start = process.cpuUsage();
    try {
      readReturnFile(text);
    } catch (error) {
      assert.ok(error instanceof InvalidInputError, String(error));
    }
    const { user, system } = process.cpuUsage(start);
    assert.ok((user + system) / 1000 < MOST_CPU_MS, `${(user + system) / 1000} ms of CPU`);
    const grown = (process.memoryUsage.rss() - memory) / 1024 / 1024;
    assert.ok(grown < MOST_MEMORY_MIB, `${grown} MiB`);
  });

test('a correction is read by its positions', () => {
  assert.deepEqual(readCorrection('C01', '987654321'), { account_number: '987654321' });
  assert.deepEqual(readCorrection('C02', '121042882'), { routing_number: '121042882' });
  assert.deepEqual(readCorrection('C05', '32'), { account_kind: 'savings' });
  assert.deepEqual(readCorrection('C06', `${'1234             '.padEnd(20)}22`), {
    account_number: '1234',
    account_kind: 'checking',
  });
  assert.deepEqual(readCorrection('C07', `121042882${'55-66'.padEnd(17)}37`), {
    routing_number: '121042882',
    account_number: '55-66',
    account_kind: 'savings',
  });
  assert.deepEqual(readCorrection('C04', 'ANNA NEWNAME          IGNORED'), { holder_name: 'ANNA NEWNAME' });
  assert.deepEqual(readCorrection('C09', 'DR 4711-B'), { identification: 'DR 4711-B' });
  for (const code of ['C08', 'C10', 'C11', 'C12', 'C13', 'C14', 'C99']) {
    assert.deepEqual(readCorrection(code, 'anything'.padEnd(29)), { other: 'anything' }, code);
    assert.deepEqual(readCorrection(code, ' '.repeat(29)), {}, code);
  }
});

test('every change code has words, and its corrected values are kept', () => {
  assert.match(reasonInWords('C99'), /which we don’t know/);
  for (let at = 1; at <= 14; at += 1) {
    const code = `C${String(at).padStart(2, '0')}`;
    assert.doesNotMatch(reasonInWords(code), /which we don’t know/, code);
    const corrected = code === 'C05' ? '37' : '121042882121042882   37 ANNA';
    assert.notDeepEqual(readCorrection(code, corrected.padEnd(29)), {}, code);
  }
  assert.deepEqual(readCorrection('C05', '52'), {}, 'a loan is neither a checking nor a savings account');
});

test('a return is described with its reason, and an unknown code as unknown', () => {
  const records = explainNachaFile(golden);
  assert.match(records[3]?.words ?? '', /^Came back \(R03\): There’s no such account/);
  assert.match(records[9]?.words ?? '', /^To be corrected \(C03\)/);
  assert.ok(records.every(({ text }) => !text.includes('7654321')));
  assert.match(reasonInWords('R99'), /R99, which we don’t know/);
});

test('[BANK-4] routing numbers: nine digits, a range in use, the check digit 3-7-1', () => {
  for (const good of ['021000021', '011401533', '091000019', '121042882', '322271627']) assert.ok(isRoutingNumber(good));
  for (const bad of ['021000022', '012000021', '02100002', '0210000210', '02100002a', '000000000', '990000008', ''])
    assert.ok(!isRoutingNumber(bad), bad);
});
