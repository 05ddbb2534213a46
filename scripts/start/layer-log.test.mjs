import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forTerminal } from './layer-log.mjs';

const entry = (/** @type {object} */ fields) => JSON.stringify({ time: 1, name: 'api', ...fields });

test('warnings and errors are shown in a short form', () => {
  assert.equal(forTerminal(entry({ level: 40, msg: 'slow' }), false), 'warning: slow');
  const failed = { level: 50, msg: 'request failed', err: { message: 'no such table' }, request_id: 'r-1' };
  assert.equal(forTerminal(entry(failed), false), 'error: request failed: no such table (request r-1)');
});

test('everyday entries and prose of standard output stay in the file', () => {
  assert.equal(forTerminal(entry({ level: 30, msg: 'request' }), false), null);
  assert.equal(forTerminal('- Local: http://localhost:3000', false), null);
});

test('prose of standard error is shown', () => {
  assert.equal(forTerminal('ReferenceError: x is not defined', true), 'ReferenceError: x is not defined');
  assert.equal(forTerminal('   ', true), null);
});
