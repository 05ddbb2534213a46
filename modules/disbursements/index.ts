export {
  addBankingDays,
  addDays,
  bankDayOf,
  bankingDayFrom,
  holidaysOf,
  isBankingDay,
  processingDay,
} from './banking-days.ts';
export { type CaseBalance, findCaseBalance } from './case-balance.ts';
export { DISBURSEMENT_STATUSES, type DisbursementStatus } from './disbursement-states.ts';
export { CUT_OFF_HOUR } from './expected-bank-date.ts';
export {
  type Disbursement,
  type DisbursementFilter,
  findDisbursement,
  getDisbursement,
  listDisbursements,
} from './list-disbursements.ts';
