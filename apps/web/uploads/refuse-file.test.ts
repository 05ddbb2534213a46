import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UPLOADS } from '@case-platform/words/uploads';
import { refuseFile } from './refuse-file.ts';

const MIB = 1024 * 1024;

test('each kind of upload accepts its own types and sizes', () => {
  assert.equal(refuseFile({ name: 'me.JPG', size: 10 * MIB }, UPLOADS.profile_picture), null);
  assert.match(refuseFile({ name: 'me.jpg', size: 10 * MIB + 1 }, UPLOADS.profile_picture) ?? '', /up to 10 MB/);
  assert.match(refuseFile({ name: 'me.heic', size: 1 }, UPLOADS.profile_picture) ?? '', /Choose JPEG, PNG or WebP/);
  assert.equal(refuseFile({ name: 'id.heic', size: 1 }, UPLOADS.photo_id), null);
  assert.equal(refuseFile({ name: 'contract.docx', size: 100 * MIB }, UPLOADS.case_document), null);
  assert.match(refuseFile({ name: 'tool.exe', size: 1 }, UPLOADS.case_document) ?? '', /can’t be used/);
  assert.match(refuseFile({ name: 'noextension', size: 1 }, UPLOADS.case_document) ?? '', /can’t be used/);
  assert.match(refuseFile({ name: 'empty.pdf', size: 0 }, UPLOADS.case_document) ?? '', /is empty/);
});
