import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinDrafts } from './drafts.ts';

test('a draft goes before what was typed meanwhile, and nothing stands there twice', () => {
  assert.equal(joinDrafts('', 'typed'), 'typed');
  assert.equal(joinDrafts('kept', 'typed'), 'kept\n\ntyped');
  assert.equal(joinDrafts('kept', 'kept'), 'kept');
  assert.equal(joinDrafts('kept and more', 'kept'), 'kept and more');
  assert.equal(joinDrafts('kept', 'kept and more'), 'kept and more');
});
