export { balanceIsVisible, canViewBalance, hiddenBalanceError } from './balance-access.ts';
export { type CaseBalance, findCaseBalance } from './case-balance.ts';
export { confirmCashEntry, refuseCashEntry } from './decide-cash-entry.ts';
export { type LedgerKind, type LockedCase, lockCase, postMovements, requireFunds } from './ledger.ts';
export { type CashEntry, listCaseCashEntries, listWaitingCashEntries } from './list-cash-entries.ts';
export { type DisbursementMovement, listMovements } from './list-movements.ts';
export { type CaseMoney, recordCashEntry } from './record-cash-entry.ts';
