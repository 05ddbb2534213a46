/** A returned payment can be made again after this: another bank account, or an answer from the payee or the bank. */
type Remedy = 'account' | 'payee' | 'bank';

/** Why a payment came back and what it needs now (Nacha Operating Rules, Appendix Four, 'Table of Return Reason Codes'). */
const RETURNS: Record<string, readonly [remedy: Remedy, reason: string]> = {
  R01: ['bank', 'There wasn’t enough money in the account.'],
  R02: ['account', 'The account is closed.'],
  R03: ['account', 'There’s no such account, or it’s in someone else’s name.'],
  R04: ['account', 'The account number isn’t valid.'],
  R05: ['bank', 'A consumer’s account was debited as a company’s, without consent.'],
  R06: ['bank', 'Our own bank asked for it back.'],
  R07: ['payee', 'The account holder withdrew their consent.'],
  R08: ['payee', 'The account holder stopped this payment.'],
  R09: ['bank', 'The money in the account wasn’t available yet.'],
  R10: ['payee', 'The account holder says we weren’t allowed to make this payment.'],
  R11: ['payee', 'The payment doesn’t match what the account holder agreed to.'],
  R12: ['account', 'The account moved to another bank.'],
  R13: ['account', 'The routing number isn’t valid.'],
  R14: ['account', 'The person who acted for the account holder has died or can no longer act.'],
  R15: ['account', 'The account holder has died.'],
  R16: ['account', 'The account is frozen, or the law doesn’t allow the payment.'],
  R17: ['bank', 'The bank could not process the payment, or suspects fraud.'],
  R18: ['bank', 'The payment date wasn’t valid.'],
  R19: ['bank', 'The amount wasn’t valid.'],
  R20: ['account', 'This account can’t receive these payments. Some savings accounts can’t.'],
  R21: ['bank', 'The company ID isn’t valid.'],
  R22: ['bank', 'The receiver doesn’t recognize the reference.'],
  R23: ['payee', 'The account holder refused the payment.'],
  R24: ['bank', 'The bank received this payment twice.'],
  R25: ['bank', 'An addenda record is wrong.'],
  R26: ['bank', 'A required field is empty or wrong.'],
  R27: ['bank', 'The original trace number is missing.'],
  R28: ['bank', 'The check digit of the routing number is wrong.'],
  R29: ['payee', 'The company says we weren’t allowed to make this payment.'],
  R30: ['bank', 'The bank doesn’t take part in check truncation.'],
  R31: ['bank', 'The banks agreed on this return.'],
  R32: ['bank', 'The bank can’t settle the payment.'],
  R33: ['bank', 'The bank returned a destroyed check.'],
  R34: ['account', 'The bank’s part in the network is limited.'],
  R35: ['bank', 'This account can’t be debited.'],
  R36: ['account', 'This account can’t be credited.'],
  R37: ['bank', 'The check behind this payment was already paid.'],
  R38: ['bank', 'The check behind this payment was stopped.'],
  R39: ['bank', 'The check behind this payment can’t be used, or it was already paid.'],
  R40: ['bank', 'The government agency returned its enrollment.'],
  R41: ['bank', 'The transaction code in an enrollment is wrong.'],
  R42: ['bank', 'The routing number in an enrollment is wrong.'],
  R43: ['bank', 'The account number in an enrollment is wrong.'],
  R44: ['bank', 'The person’s number in an enrollment is wrong.'],
  R45: ['bank', 'The name in an enrollment is wrong.'],
  R46: ['bank', 'The representative’s mark in an enrollment is wrong.'],
  R47: ['bank', 'The enrollment was sent twice.'],
  R50: ['bank', 'State law doesn’t allow this representment.'],
  R51: ['bank', 'The represented check wasn’t eligible.'],
  R52: ['bank', 'The represented check was stopped.'],
  R53: ['bank', 'The check and its entry were both presented.'],
  R61: ['bank', 'The return went to the wrong bank.'],
  R62: ['bank', 'The reversal was wrong or incomplete.'],
  R67: ['bank', 'The return was sent twice.'],
  R68: ['bank', 'The return came too late.'],
  R69: ['bank', 'Fields of the return are wrong.'],
  R70: ['bank', 'The banks hadn’t agreed on this return.'],
  R71: ['bank', 'The dishonored return went to the wrong bank.'],
  R72: ['bank', 'The dishonored return came too late.'],
  R73: ['bank', 'The bank says its return was on time.'],
  R74: ['bank', 'The bank corrected its return.'],
  R75: ['bank', 'The return wasn’t a duplicate.'],
  R76: ['bank', 'The bank contests the errors in its return.'],
  R77: ['bank', 'The bank doesn’t accept the dishonored return.'],
  R80: ['bank', 'The international payment is coded wrong.'],
  R81: ['bank', 'Our bank doesn’t take part in international payments.'],
  R82: ['bank', 'The foreign bank’s identification is wrong.'],
  R83: ['bank', 'The foreign bank can’t settle the payment.'],
  R84: ['bank', 'The gateway didn’t process the payment.'],
  R85: ['bank', 'An international payment wasn’t coded as one.'],
};

/** Corrections that a bank asks for (Nacha Operating Rules, Appendix Five, 'Table of Change Codes'). */
const CHANGE_REASONS: Record<string, string> = {
  C01: 'The account number needs to be corrected.',
  C02: 'The routing number needs to be corrected.',
  C03: 'The routing number and the account number need to be corrected.',
  C04: 'The account holder’s name needs to be corrected.',
  C05: 'It’s the other kind of account (checking or savings).',
  C06: 'The account number and the kind of account need to be corrected.',
  C07: 'The routing number, the account number and the kind of account need to be corrected.',
  C08: 'The foreign bank’s identification needs to be corrected.',
  C09: 'The reference we send with the payment needs to be corrected.',
  C10: 'Our company name needs to be corrected.',
  C11: 'Our company ID needs to be corrected.',
  C12: 'Our company name and company ID need to be corrected.',
  C13: 'The format of the addenda record needs to be corrected.',
  C14: 'The payment needs to be coded as an international one.',
};

/** Return codes by which a bank rejects a return (a dishonored return): the payment itself did not come back with them. */
const REJECTED_RETURNS = /^R(?:6[1-9]|70)$/;

/** True for a code that a payment comes back with, or an account is corrected with; no other code moves anything (RETURN-9). */
export function takesEffect(code: string): boolean {
  return (Object.hasOwn(RETURNS, code) && !REJECTED_RETURNS.test(code)) || Object.hasOwn(CHANGE_REASONS, code);
}

/** True if a payment to the same bank account would come back again. */
export function needsOtherAccount(code: string): boolean {
  return RETURNS[code]?.[0] === 'account';
}

interface AfterReturn {
  who_acts: 'payee' | 'staff';
  /** One or two sentences for the reader. */
  what_to_do: string;
}

/**
 * Says who acts after the bank sent a payment back, and what they do (RETURN-7).
 * @param payee their name, or null if the payee is the reader.
 * @param hasOtherAccount whether the payee has set another bank account since.
 */
export function afterReturn(
  code: string,
  { payee, hasOtherAccount }: { payee: string | null; hasOtherAccount: boolean },
): AfterReturn {
  const remedy = hasOtherAccount ? 'again' : (RETURNS[code]?.[0] ?? 'bank');
  const { who_acts, you, others } = NEXT[remedy];
  return { who_acts, what_to_do: payee === null ? you : others(payee) };
}

interface Next extends Pick<AfterReturn, 'who_acts'> {
  you: string;
  others: (payee: string) => string;
}

const NEXT: Record<Remedy | 'again', Next> = {
  account: {
    who_acts: 'payee',
    you: 'Enter another bank account. We start using it 48 hours later, and then your escrow specialist pays you again.',
    others: (payee) => `${payee} needs to enter another bank account. Then the escrow specialist can pay it again.`,
  },
  payee: {
    who_acts: 'payee',
    you: 'Tell your escrow specialist whether you still want this payment.',
    others: (payee) => `${payee} needs to tell the escrow specialist whether they still want this payment.`,
  },
  bank: {
    who_acts: 'staff',
    you: 'You don’t need to do anything. Your escrow specialist asks the bank, then pays you again.',
    others: () => 'The escrow specialist asks the bank, then pays it again.',
  },
  again: {
    who_acts: 'staff',
    you: 'You entered another bank account. Your escrow specialist pays you again as soon as we can use it.',
    others: (payee) => `${payee} entered another bank account. The escrow specialist can pay it again.`,
  },
};

/** A sentence for a return or change code, also for one that this version does not know. */
export function reasonInWords(code: string): string {
  return RETURNS[code]?.[1] ?? CHANGE_REASONS[code] ?? `The bank gave the reason code ${code}, which we don’t know.`;
}
