import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Report } from './test-run.mjs';

test('two runs are reported as one: their lines, the sums, then what failed in either', () => {
  /** @type {string[]} */
  const shown = [];
  const report = new Report((line) => shown.push(line));
  for (const name of ['first', 'second']) {
    report.begin();
    report.take(`✔ ${name}`);
    report.take('\u001b[34mℹ tests 3\u001b[39m');
    report.take('ℹ fail 1');
    report.take('ℹ duration_ms 10.4');
    report.take(`✖ of the ${name}`);
  }
  report.close(['A note.']);
  assert.deepEqual(shown, [
    ...['✔ first', '✔ second', '\nA note.\n'],
    ...['ℹ tests 6', 'ℹ fail 2', 'ℹ duration_ms 21', '✖ of the first', '✖ of the second'],
  ]);
});
