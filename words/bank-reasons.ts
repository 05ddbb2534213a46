/** Why an entry came back, in a sentence (Nacha Operating Rules, Appendix Four, 'Table of Return Reason Codes'). */
const RETURN_REASONS: Record<string, string> = {
  R01: 'The account that was to be debited had not enough funds.',
  R02: 'The account is closed.',
  R03: 'There is no such account, or it belongs to somebody of another name.',
  R04: 'The account number cannot be right: it has the wrong form or check digit.',
  R05: 'A consumer’s account was debited as a company’s, without consent.',
  R06: 'Our own bank asked for it back.',
  R07: 'The account holder has withdrawn the consent.',
  R08: 'The account holder has stopped this payment.',
  R09: 'The funds of the account were not yet collected.',
  R10: 'The account holder says that we were not allowed to make this entry.',
  R11: 'The entry does not agree with what the account holder consented to.',
  R12: 'The account was sold to another bank.',
  R13: 'The routing number belongs to no bank that takes part.',
  R14: 'The person who received for the account holder has died or can no longer do so.',
  R15: 'The account holder has died.',
  R16: 'The account is frozen, or the law forbids the payment.',
  R17: 'The bank could not process the entry’s fields, or takes the entry for a fraud.',
  R18: 'The effective date is not possible.',
  R19: 'The amount is not possible.',
  R20: 'The account takes no such payments (some savings accounts do not).',
  R21: 'The company id is not valid.',
  R22: 'The reference is not known to the receiver.',
  R23: 'The account holder refused the payment.',
  R24: 'The bank has received this entry twice.',
  R25: 'An addenda record is wrong.',
  R26: 'A mandatory field is empty or wrong.',
  R27: 'The original trace number is missing.',
  R28: 'The check digit of the routing number is wrong.',
  R29: 'The company says that we were not allowed to make this entry.',
  R30: 'The bank does not take part in check truncation.',
  R31: 'The banks have agreed on this return.',
  R32: 'The bank cannot settle the entry.',
  R33: 'The bank returns a destroyed check.',
  R34: 'The bank’s part in the network is limited.',
  R35: 'A debit is not possible here.',
  R36: 'A credit is not possible here.',
  R37: 'The check that stands behind this entry was paid already.',
  R38: 'The check that stands behind this entry was stopped.',
  R39: 'The check that stands behind this entry cannot be used, or the entry was paid by it.',
  R40: 'The government agency returns its enrolment.',
  R41: 'The transaction code of an enrolment is wrong.',
  R42: 'The routing number of an enrolment is wrong.',
  R43: 'The account number of an enrolment is wrong.',
  R44: 'The number of the person in an enrolment is wrong.',
  R45: 'The name in an enrolment is wrong.',
  R46: 'The representative’s mark in an enrolment is wrong.',
  R47: 'The enrolment was sent twice.',
  R50: 'State law forbids this representment.',
  R51: 'The represented check was not eligible.',
  R52: 'The represented check was stopped.',
  R53: 'The check and its entry were both presented.',
  R61: 'The return went to the wrong bank.',
  R62: 'The reversal was wrong or incomplete.',
  R67: 'The return was sent twice.',
  R68: 'The return came too late.',
  R69: 'Fields of the return are wrong.',
  R70: 'The agreed return was not agreed on.',
  R71: 'The dishonoured return went to the wrong bank.',
  R72: 'The dishonoured return came too late.',
  R73: 'The bank says that its return was in time.',
  R74: 'The bank has corrected its return.',
  R75: 'The return was no duplicate.',
  R76: 'The bank contests the errors in its return.',
  R77: 'The bank does not take the dishonoured return.',
  R80: 'The international entry is coded wrongly.',
  R81: 'Our side takes no part in international payments.',
  R82: 'The foreign bank’s identification is wrong.',
  R83: 'The foreign bank cannot settle the entry.',
  R84: 'The gateway did not process the entry.',
  R85: 'An international payment was not coded as one.',
};

/** What is to be corrected (Nacha Operating Rules, Appendix Five, 'Table of Change Codes'). */
const CHANGE_REASONS: Record<string, string> = {
  C01: 'The account number is to be corrected.',
  C02: 'The routing number is to be corrected.',
  C03: 'The routing number and the account number are to be corrected.',
  C04: 'The name of the account holder is to be corrected.',
  C05: 'It is the other kind of account (checking or savings).',
  C06: 'The account number and the kind of account are to be corrected.',
  C07: 'The routing number, the account number and the kind of account are to be corrected.',
  C08: 'The foreign bank’s identification is to be corrected.',
  C09: 'The reference that we send with the payment is to be corrected.',
  C10: 'Our company name is to be corrected.',
  C11: 'Our company identification is to be corrected.',
  C12: 'Our company name and company identification are to be corrected.',
  C13: 'The format of the addenda record is to be corrected.',
  C14: 'The entry is to be coded as an international one.',
};

/** After these a payment to the account comes back again: closed, unknown, wrong, frozen, or not for payments. */
const OTHER_ACCOUNT = ['R02', 'R03', 'R04', 'R12', 'R13', 'R14', 'R15', 'R16', 'R20', 'R34', 'R36'];

/** Whether a return says that another bank account is needed. */
export function needsOtherAccount(code: string): boolean {
  return OTHER_ACCOUNT.includes(code);
}

/** What the payee of a returned payment can do now, in a sentence. */
export function whatToDoAfter(code: string): string {
  if (code === 'R23') return 'Ask the payee whether they refused the payment.';
  return needsOtherAccount(code)
    ? 'The payee needs to enter another bank account.'
    : 'The escrow specialist asks the bank and says what comes next.';
}

/** A sentence for a return or change code; codes that are not known here say so. */
export function reasonInWords(code: string): string {
  return RETURN_REASONS[code] ?? CHANGE_REASONS[code] ?? `The bank gave the reason ${code}, which is not known here.`;
}
