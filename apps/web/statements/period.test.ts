import assert from 'node:assert/strict';
import { test } from 'node:test';
import { periodQuery } from './period.ts';

test('[STATEMENT-2] without a period in the address, the API gets none', () => {
  assert.equal(periodQuery({}), '');
  assert.equal(periodQuery({ from: '', to: '2026-01-01', other: 'x' }), '?to=2026-01-01');
  assert.equal(periodQuery({ from: ['2026-01-01', '2026-01-02'] }), '');
});
