import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInputError } from '@case-platform/lib/errors';
import { parseBankAccount } from './parse-bank-account.ts';

const GOOD = {
  holder_name: 'Sam Harbor',
  routing_number: '021000021',
  account_number: '1234',
  account_kind: 'checking',
} as const;
const takes = (fields: object) => assert.doesNotThrow(() => parseBankAccount({ ...GOOD, ...fields }));
const refuses = (field: keyof typeof GOOD, value: string) =>
  assert.throws(
    () => parseBankAccount({ ...GOOD, [field]: value }),
    (error) => error instanceof InvalidInputError && error.errors[0]?.field === field,
    value,
  );

test('[BANK-4] an account number has 4 to 17 digits or letters', () => {
  for (const account_number of ['1234', '1'.repeat(17), 'A1-9', '12 34']) takes({ account_number });
  for (const account_number of ['123', '1'.repeat(18), '-123', '123-', '12_4', '']) refuses('account_number', account_number);
});

test('[BANK-4] a holder’s name has 1 to 100 characters, some of them letters that a file can contain', () => {
  for (const holder_name of ['A', 'A'.repeat(100)]) takes({ holder_name });
  for (const holder_name of ['', 'A'.repeat(101), '123', '山田', '=A1']) refuses('holder_name', holder_name);
});

test('[BANK-4] a routing number has nine digits, the last of which checks the others', () => {
  takes({ routing_number: '021000021' });
  for (const routing_number of ['02100002', '0210000211', '021000022', '']) refuses('routing_number', routing_number);
});
