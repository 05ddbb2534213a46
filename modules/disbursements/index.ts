export {
  addBankingDays,
  addDays,
  bankDayOf,
  bankingDayFrom,
  holidaysOf,
  isBankingDay,
  processingDay,
} from './banking-days.ts';
