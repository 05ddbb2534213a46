export { CaseOverviewOut, CaseSummaryOut, ScheduledPaymentOut, Status as CaseStatusName } from './case-schemas.ts';
