import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addBankingDays, bankDayOf, bankingDayFrom, holidaysOf, isBankingDay, processingDay } from './bank-days.ts';

describe('[WHERE-4] banking days', () => {
  test('the holidays of 2026 and 2027 are those that the Federal Reserve Banks publish', () => {
    assert.deepEqual([...holidaysOf(2026)].sort(), [
      '2026-01-01',
      '2026-01-19',
      '2026-02-16',
      '2026-05-25',
      '2026-06-19',
      '2026-07-04',
      '2026-09-07',
      '2026-10-12',
      '2026-11-11',
      '2026-11-26',
      '2026-12-25',
    ]);
    assert.deepEqual([...holidaysOf(2027)].sort(), [
      '2027-01-01',
      '2027-01-18',
      '2027-02-15',
      '2027-05-31',
      '2027-06-19',
      '2027-07-05',
      '2027-09-06',
      '2027-10-11',
      '2027-11-11',
      '2027-11-25',
      '2027-12-25',
    ]);
  });

  test('a holiday on a Saturday leaves the Friday open, one on a Sunday closes the Monday', () => {
    assert.equal(isBankingDay('2026-07-03'), true);
    assert.equal(isBankingDay('2027-07-05'), false);
    assert.equal(isBankingDay('2022-12-26'), false);
    assert.equal(isBankingDay('2021-06-21'), true, 'Juneteenth has been a holiday since 2022');
  });

  test('days are counted over weekends, holidays and the turn of the year', () => {
    const cases: [string, number, string][] = [
      ['2026-11-20', 0, '2026-11-20'],
      ['2026-11-20', 1, '2026-11-23'],
      ['2026-11-21', 0, '2026-11-23'],
      ['2026-11-25', 1, '2026-11-27'],
      ['2026-12-31', 1, '2027-01-04'],
      ['2027-12-31', 1, '2028-01-03'],
    ];
    for (const [from, count, expected] of cases) assert.equal(addBankingDays(from, count), expected, `${from}+${count}`);
    assert.equal(bankingDayFrom('2026-12-25'), '2026-12-28');
  });

  test('the cutoff is a time in New York, in winter and in summer', () => {
    const cases: [string, string][] = [
      ['2026-11-20T18:59:59Z', '2026-11-20'],
      ['2026-11-20T19:00:00Z', '2026-11-23'],
      ['2026-07-01T17:59:59Z', '2026-07-01'],
      ['2026-07-01T18:00:00Z', '2026-07-02'],
      ['2026-11-21T03:00:00Z', '2026-11-23'],
      ['2026-11-26T12:00:00Z', '2026-11-27'],
      ['2026-11-29T23:30:00Z', '2026-11-30'],
    ];
    for (const [moment, expected] of cases) assert.equal(processingDay(new Date(moment), 14), expected, moment);
    assert.equal(bankDayOf(new Date('2026-11-21T04:59:00Z')), '2026-11-20');
  });
});
