import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNotPayable } from './bank-account.ts';

const NOW = new Date('2026-11-23T16:00:00Z');
const usable = (flag_code: string | null) => whyNotPayable({ usable_from: NOW, flag_code }, NOW) === null;

/** Returns that are about the account: closed, unknown, wrong, sold, dead, frozen, not for payments. */
const ABOUT_THE_ACCOUNT = ['R02', 'R03', 'R04', 'R12', 'R13', 'R14', 'R15', 'R16', 'R20', 'R34', 'R36'];

test('[decisions 8] nothing more is paid to an account that a return says is none, by every such code', () => {
  for (const code of ABOUT_THE_ACCOUNT) assert.equal(usable(code), false, code);
});

test('[decisions 8] other returns, and corrections, are about the payment: the account is paid to', () => {
  for (const code of [null, 'R01', 'R09', 'R17', 'C01', 'C05']) assert.equal(usable(code), true, String(code));
});

test('[decisions 8] an account is paid to from its time on, and not a moment before', () => {
  const at = (ms: number) => whyNotPayable({ usable_from: new Date(NOW.getTime() + ms), flag_code: null }, NOW);
  assert.equal(at(0), null);
  assert.match(at(1) ?? '', /can’t use it yet/);
  assert.match(whyNotPayable(null, NOW) ?? '', /hasn’t added a bank account/);
});
