import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterReturn, needsOtherAccount, reasonInWords, takesEffect } from './bank-reasons.ts';

/** Every return code (Nacha Operating Rules, Appendix Four), grouped by who acts after it. */
const CODES = {
  account: ['R02', 'R03', 'R04', 'R12', 'R13', 'R14', 'R15', 'R16', 'R20', 'R34', 'R36'],
  payee: ['R07', 'R08', 'R10', 'R11', 'R23', 'R29'],
  bank: [
    'R01',
    'R05',
    'R06',
    'R09',
    'R17',
    'R18',
    'R19',
    'R21',
    'R22',
    'R24',
    'R25',
    'R26',
    'R27',
    'R28',
    'R30',
    'R31',
    'R32',
    'R33',
    'R35',
    'R37',
    'R38',
    'R39',
    'R40',
    'R41',
    'R42',
    'R43',
    'R44',
    'R45',
    'R46',
    'R47',
    'R50',
    'R51',
    'R52',
    'R53',
    'R61',
    'R62',
    'R67',
    'R68',
    'R69',
    'R70',
    'R71',
    'R72',
    'R73',
    'R74',
    'R75',
    'R76',
    'R77',
    'R80',
    'R81',
    'R82',
    'R83',
    'R84',
    'R85',
  ],
};
const ALL = Array.from({ length: 100 }, (_, at) => `R${String(at).padStart(2, '0')}`);
const after = (code: string, payee: string | null, hasOtherAccount = false) => afterReturn(code, { payee, hasOtherAccount });

test('[RETURN-7] each return code says why, whose turn it is, and what to do, to the payee and to others', () => {
  const listed = Object.values(CODES).flat();
  assert.deepEqual(
    ALL.filter((code) => !/which we don’t know/.test(reasonInWords(code))),
    listed.toSorted(),
  );
  for (const code of CODES.account) {
    assert.equal(needsOtherAccount(code), true, code);
    assert.equal(after(code, null).who_acts, 'payee', code);
    assert.match(after(code, null).what_to_do, /^Enter another bank account\./, code);
    assert.match(after(code, 'Sam Doe').what_to_do, /^Sam Doe needs to enter another bank account\./, code);
  }
  for (const code of CODES.payee) {
    assert.equal(needsOtherAccount(code), false, code);
    assert.equal(after(code, null).who_acts, 'payee', code);
    assert.match(after(code, null).what_to_do, /^Tell your escrow specialist whether you still want/, code);
    assert.match(after(code, 'Sam Doe').what_to_do, /^Sam Doe needs to tell the escrow specialist/, code);
  }
  for (const code of [...CODES.bank, 'R99', 'R00']) {
    assert.equal(needsOtherAccount(code), false, code);
    assert.equal(after(code, null).who_acts, 'staff', code);
    assert.match(after(code, null).what_to_do, /^You don’t need to do anything\./, code);
    assert.match(after(code, 'Sam Doe').what_to_do, /^The escrow specialist asks the bank/, code);
  }
});

test('[RETURN-9] a payment comes back with every known code except R61 to R70, and an account is corrected with C01 to C14', () => {
  const rejected = ALL.slice(61, 71);
  const expected = Object.values(CODES)
    .flat()
    .filter((code) => !rejected.includes(code));
  assert.deepEqual(ALL.filter(takesEffect), expected.toSorted());
  const changes = ALL.map((code) => code.replace('R', 'C'));
  assert.deepEqual(changes.filter(takesEffect), changes.slice(1, 15));
  for (const code of ['', 'R1', 'constructor', 'toString']) assert.equal(takesEffect(code), false, code);
});

test('[RETURN-7] with another account it is the staff’s turn, for every code', () => {
  for (const code of ALL) {
    assert.equal(after(code, null, true).who_acts, 'staff', code);
    assert.match(after(code, null, true).what_to_do, /^You entered another bank account\./, code);
    assert.match(after(code, 'Sam Doe', true).what_to_do, /^Sam Doe entered another bank account\./, code);
  }
});

test('[RETURN-7] no two codes have the same words', () => {
  const codes = [...Object.values(CODES).flat(), ...ALL.slice(1, 15).map((code) => code.replace('R', 'C'))];
  assert.equal(new Set(codes.map(reasonInWords)).size, codes.length);
  assert.match(reasonInWords('C15'), /C15, which we don’t know/);
});
