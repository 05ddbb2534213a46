import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectType, SIGNATURE_BYTES } from './detect-type.ts';

const startOf = (text: string) => Buffer.from(text, 'latin1');

test('[FILE-2] each accepted type is known by its first bytes, and nothing that differs in one of them', () => {
  const types = {
    '\xff\xd8\xff\xe0': 'image/jpeg',
    '\x89PNG\r\n\x1a\n': 'image/png',
    GIF87a: 'image/gif',
    GIF89a: 'image/gif',
    'RIFF\0\0\0\0WEBP': 'image/webp',
    '\0\0\0\x18ftypheic': 'image/heic',
    '\0\0\0\x18ftypheix': 'image/heic',
    '\0\0\0\x18ftyphevc': 'image/heic-sequence',
    '\0\0\0\x18ftyphevx': 'image/heic-sequence',
    '\0\0\0\x18ftypmif1': 'image/heif',
    '\0\0\0\x18ftypmsf1': 'image/heif-sequence',
    '%PDF-1.7': 'application/pdf',
  };
  for (const [start, type] of Object.entries(types)) assert.equal(detectType(startOf(`${start}more`)), type, start);
  const others = [
    '',
    'GIF88a',
    '\xff\xd8',
    '\x89PNG\r\n\x1a\r',
    'RIFF\0\0\0\0WAVE',
    '\0\0\0\x18ftypavif',
    '\0\0\0\x18ftypisom',
    '%PDF',
  ];
  for (const start of others) assert.equal(detectType(startOf(start)), null, start);
});

test('[FILE-2] the header of a PDF may follow other bytes, as far as readers look', () => {
  const pdf = (before: number) => detectType(startOf(`${'x'.repeat(before)}%PDF-1.7`).subarray(0, SIGNATURE_BYTES));
  assert.deepEqual([SIGNATURE_BYTES, pdf(1019), pdf(1020)], [1024, 'application/pdf', null]);
});
