import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counted } from './counts.ts';
import { notCoveredWords } from './coverage.ts';
import { type PictureFailure, pictureFailureWords } from './pictures.ts';
import { isTemporary, parseRetryAfter } from './retry-after.ts';
import { sentence } from './sentence.ts';
import { UPLOADS } from './uploads.ts';
import { movedInWords, PASSES_AGAIN } from './whereabouts.ts';

test('a call may succeed later after exactly these statuses', () => {
  const temporary = Array.from({ length: 500 }, (_, at) => 100 + at).filter(isTemporary);
  const failures = Array.from({ length: 100 }, (_, at) => 500 + at);
  assert.deepEqual(temporary, [408, 425, 429, ...failures]);
});

test('Retry-After is a number of seconds or a date, at most a day, and nothing else', () => {
  const now = Date.parse('2026-11-26T12:00:00.500Z');
  const waits: [header: string | null | undefined, seconds: number | null][] = [
    [null, null],
    [undefined, null],
    ['', null],
    ['0', null],
    ['1', 1],
    [' 7 ', 7],
    ['86399', 86_399],
    ['86401', 86_400],
    ['99999999999999999999', 86_400],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
    ['Thu, 26 Nov 2026 12:00:00 GMT', null],
    ['Thu, 26 Nov 2026 12:00:01 GMT', 1],
    ['Thu, 26 Nov 2026 12:01:00 GMT', 60],
    ['Sat, 28 Nov 2026 12:00:00 GMT', 86_400],
    ['2026-11-26T13:00:00Z', null],
  ];
  for (const [header, seconds] of waits) assert.equal(parseRetryAfter(header, now), seconds, String(header));
});

test('counts are singular for one only, and have separators', () => {
  const words = [0, 1, 2, 1200].map((count) => counted(count, 'reply', 'replies'));
  assert.deepEqual(words, ['0 replies', '1 reply', '2 replies', '1,200 replies']);
  assert.deepEqual([counted(1, 'file'), counted(0, 'file')], ['1 file', '0 files']);
  assert.deepEqual(['photo_id', ' case_idle ', 'bird', 'id_of_a'].map(sentence), ['Photo ID', 'Case idle', 'Bird', 'ID of a']);
});

test('[FUNDS-3] the warning about missing money says what waits, and whom to ask', () => {
  const warnings = [
    notCoveredWords({ status: 'returned', isStaff: true }),
    notCoveredWords({ status: 'submitted', isStaff: false }),
  ].map((words) => [
    /paid again/.test(words),
    /approved/.test(words),
    /Ask the parents/.test(words),
    /escrow specialist/.test(words),
  ]);
  assert.deepEqual(warnings, [
    [true, false, true, false],
    [false, true, false, true],
  ]);
});

test('each failure and each move has its own sentence', () => {
  const failures: PictureFailure[] = ['damaged', 'too_large', 'too_slow', 'unfinished'];
  const sentences = failures.map(pictureFailureWords);
  assert.equal(new Set(sentences).size, failures.length);
  assert.match(sentences[0] ?? '', /damaged/);
  assert.match(sentences[1] ?? '', /too large .* 9 megapixels/);
  assert.match(sentences[2] ?? '', /too long .* JPEG/);
  assert.match(sentences[3] ?? '', /couldn’t process .* JPEG/);
  assert.deepEqual(PASSES_AGAIN, ['not_approved', 'no_account'], 'only what waits for a person moves the day every day');
  assert.notEqual(movedInWords('not_approved'), movedInWords('no_account'));
});

test('each purpose accepts its formats up to its size', () => {
  const accepted = Object.entries(UPLOADS).map(([purpose, { maxBytes, extensions }]) => {
    const has = (...names: string[]) => names.filter((name) => (extensions as readonly string[]).includes(name));
    return [purpose, maxBytes / 2 ** 20, has('png', 'jpg', 'webp', 'heic', 'pdf', 'docx', 'csv', 'svg', 'html').join(' ')];
  });
  assert.deepEqual(accepted, [
    ['profile_picture', 10, 'png jpg webp'],
    ['photo_id', 25, 'png jpg webp heic pdf'],
    ['case_document', 100, 'png jpg webp heic pdf docx csv'],
    ['disbursement_receipt', 25, 'png jpg webp heic pdf docx csv'],
  ]);
});
