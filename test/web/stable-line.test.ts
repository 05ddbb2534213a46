import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { stableLine } from './stable-line.ts';

test.afterEach(() => mock.timers.reset());

test('[REQUEST-20, HOME-1] words that depend on the day are left out only if they are right in the reader’s zone', () => {
  // In Kolkata it is Friday, 3:30 AM, and the next batch is made on Saturday. On both days it is another day in UTC.
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-26T22:00:00Z') });
  const rows: [zone: string, right: string, wrong: string[], stable: string][] = [
    ['Asia/Kolkata', 'by 12:30 AM tomorrow.', ['by 12:30 AM today.', 'by 7 PM tomorrow.'], 'by DEADLINE.'],
    ['America/Phoenix', 'by 12 PM tomorrow.', ['by 12 PM today.', 'by 7 PM tomorrow.'], 'by DEADLINE.'],
    ['Asia/Kolkata', 'Good evening, Rachel', ['Good morning, Rachel', 'Good afternoon, Rachel'], 'GREETING, Rachel'],
    ['America/Phoenix', 'Good afternoon, Sarah', ['Good evening, Sarah', 'Good morning, Sarah'], 'GREETING, Sarah'],
    [
      'Asia/Kolkata',
      'Sarah changed bank accounts on Fri, Nov 27.',
      ['Sarah changed bank accounts on Thu, Nov 26.'],
      'Sarah changed bank accounts on DATE.',
    ],
  ];
  for (const [zone, right, wrong, stable] of rows) {
    assert.equal(stableLine(right, zone), stable);
    for (const words of wrong) assert.notEqual(stableLine(words, zone), stable, `${words} in ${zone}`);
  }
});

test('[REQUEST-20] the deadline after a weekend or in the next year has its date', () => {
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-28T12:00:00Z') });
  assert.equal(stableLine('by 12 PM on Mon, Nov 30.', 'America/Phoenix'), 'by DEADLINE.');
  assert.equal(stableLine('by 12 PM on Tue, Dec 1.', 'America/Phoenix'), 'by 12 PM on DATE.');
  mock.timers.reset();
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-12-31T20:00:00Z') });
  assert.equal(stableLine('by 12 PM on Jan 4, 2027.', 'America/Phoenix'), 'by DEADLINE.');
});
