import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CASE_DOCUMENT, PHOTO_ID, PICTURE, refusalOf, uploadBody } from './upload-kinds.ts';

const MIB = 1024 * 1024;

test('each place takes its own kinds and sizes', () => {
  assert.equal(refusalOf({ name: 'me.JPG', size: 10 * MIB }, PICTURE), null);
  assert.match(refusalOf({ name: 'me.jpg', size: 10 * MIB + 1 }, PICTURE) ?? '', /at most 10 MB/);
  assert.match(refusalOf({ name: 'me.heic', size: 1 }, PICTURE) ?? '', /Choose JPEG, PNG or WebP/);
  assert.equal(refusalOf({ name: 'id.heic', size: 1 }, PHOTO_ID), null);
  assert.equal(refusalOf({ name: 'contract.docx', size: 100 * MIB }, CASE_DOCUMENT), null);
  assert.match(refusalOf({ name: 'tool.exe', size: 1 }, CASE_DOCUMENT) ?? '', /cannot be used/);
  assert.match(refusalOf({ name: 'noextension', size: 1 }, CASE_DOCUMENT) ?? '', /cannot be used/);
  assert.match(refusalOf({ name: 'empty.pdf', size: 0 }, CASE_DOCUMENT) ?? '', /is empty/);
});

test('[Direct upload endpoints] the first step names file, type and size', () => {
  const body = uploadBody({ name: 'scan.heic', type: '', size: 7 });
  assert.deepEqual(body, { filename: 'scan.heic', content_type: 'application/octet-stream', size: 7 });
});
