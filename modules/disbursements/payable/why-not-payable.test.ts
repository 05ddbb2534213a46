import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOT_PAYABLE_REASONS, type NotPayableReason, type PaymentFacts, whyNotPayable } from './why-not-payable.ts';

const NOW = new Date('2026-11-23T16:00:00Z');
const STEPS = ['submit', 'approve', 'retry', 'send'] as const;
const ACCOUNT = { usable_from: NOW, flag_code: null, is_replaced: false };
const PAYABLE: PaymentFacts = {
  disbursement_id: 7,
  payee_name: 'Sam Doe',
  payee_status: 'active',
  payee_belongs: true,
  case_status: 'active',
  is_under_review: false,
  file_is_out: false,
  account: ACCOUNT,
};

/** One way to cause each reason, and the steps that it stops. */
const TABLE: Record<NotPayableReason, { facts: Partial<PaymentFacts>; stops: readonly (typeof STEPS)[number][] }> = {
  case_ended: { facts: { case_status: 'closed' }, stops: STEPS },
  payee_left: { facts: { payee_belongs: false }, stops: STEPS },
  payee_inactive: { facts: { payee_status: 'deactivated' }, stops: STEPS },
  under_review: { facts: { is_under_review: true }, stops: ['approve', 'retry', 'send'] },
  account_changed: { facts: { account: { ...ACCOUNT, is_replaced: true } }, stops: ['send'] },
  no_account: { facts: { account: null }, stops: ['send'] },
  account_waits: { facts: { account: { ...ACCOUNT, usable_from: new Date(NOW.getTime() + 1) } }, stops: ['send'] },
  account_closed: { facts: { account: { ...ACCOUNT, flag_code: 'R02' } }, stops: ['retry', 'send'] },
};

test('[PAYABLE-1, BANK-10] every reason not to pay stops the steps that it should, and only those', () => {
  assert.deepEqual(Object.keys(TABLE), NOT_PAYABLE_REASONS);
  for (const step of STEPS) {
    assert.equal(whyNotPayable(PAYABLE, step, NOW), null, step);
    for (const reason of NOT_PAYABLE_REASONS) {
      const { facts, stops } = TABLE[reason];
      const why = whyNotPayable({ ...PAYABLE, ...facts }, step, NOW);
      assert.equal(why?.reason ?? null, stops.includes(step) ? reason : null, `${reason} at ${step}`);
      assert.equal(whyNotPayable({ ...PAYABLE, ...facts, file_is_out: true }, step, NOW), null, 'the bank may have it');
      if (why !== null)
        assert.deepEqual([why.disbursement_id, /^(Sam Doe|The case|Our team).*\.$/.test(why.sentence)], [7, true]);
    }
  }
});

/** Return codes about the account: closed, unknown, wrong, sold, dead, frozen, not for payments. */
const ABOUT_THE_ACCOUNT = ['R02', 'R03', 'R04', 'R12', 'R13', 'R14', 'R15', 'R16', 'R20', 'R34', 'R36'];

test('[RETURN-4] each return code about the account closes it; other returns and corrections do not', () => {
  const why = (flag_code: string | null) => whyNotPayable({ ...PAYABLE, account: { ...ACCOUNT, flag_code } }, 'send', NOW);
  for (const code of ABOUT_THE_ACCOUNT) assert.equal(why(code)?.reason, 'account_closed', code);
  for (const code of [null, 'R01', 'R09', 'R17', 'C01', 'C05']) assert.equal(why(code), null, String(code));
});

test('[PAYABLE-2] invited people and closed or cancelled cases are rejected; a case on hold or closing is paid', () => {
  const reason = (facts: Partial<PaymentFacts>) => whyNotPayable({ ...PAYABLE, ...facts }, 'send', NOW)?.reason;
  assert.equal(reason({ payee_status: 'invited' }), 'payee_inactive');
  assert.equal(reason({ case_status: 'cancelled' }), 'case_ended');
  for (const case_status of ['intake', 'pending_funding', 'active', 'on_hold', 'closing'])
    assert.equal(reason({ case_status }), undefined, case_status);
});
