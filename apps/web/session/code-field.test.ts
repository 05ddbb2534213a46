import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeField } from './code-field.ts';

test('[TWO-FACTOR-9] one input distinguishes a six-digit code from a backup code', () => {
  for (const text of ['123456', ' 123456 ', '123 456', '123-456', '１２３４５６'])
    assert.deepEqual(codeField(text), { code: '123456' });
  for (const text of ['k3m9p-x7w2q', 'k3m9px7w2q', '12345', '1234567']) assert.deepEqual(codeField(text), { backup_code: text });
});
