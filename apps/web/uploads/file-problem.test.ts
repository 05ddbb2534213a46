import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UPLOADS } from '@case-platform/words/uploads';
import { fileProblem } from './file-problem.ts';

const MIB = 1024 * 1024;

test('each kind of upload accepts its own types and sizes', () => {
  assert.equal(fileProblem({ name: 'me.JPG', size: 10 * MIB }, UPLOADS.profile_picture), null);
  assert.match(fileProblem({ name: 'me.jpg', size: 10 * MIB + 1 }, UPLOADS.profile_picture) ?? '', /up to 10 MB/);
  assert.match(fileProblem({ name: 'me.heic', size: 1 }, UPLOADS.profile_picture) ?? '', /Choose JPEG, PNG or WebP/);
  assert.equal(fileProblem({ name: 'id.heic', size: 1 }, UPLOADS.photo_id), null);
  assert.equal(fileProblem({ name: 'contract.docx', size: 100 * MIB }, UPLOADS.case_document), null);
  assert.match(fileProblem({ name: 'tool.exe', size: 1 }, UPLOADS.case_document) ?? '', /can’t be used/);
  assert.match(fileProblem({ name: 'noextension', size: 1 }, UPLOADS.case_document) ?? '', /can’t be used/);
  assert.match(fileProblem({ name: 'empty.pdf', size: 0 }, UPLOADS.case_document) ?? '', /is empty/);
});
