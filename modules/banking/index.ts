export { accountVersion, type BankAccount, findBankAccount } from './bank-accounts/bank-account.ts';
export { findCorrection, type ShownCorrection } from './bank-accounts/find-correction.ts';
export { previewBankAccount, setBankAccount } from './bank-accounts/set-bank-account.ts';
export { useCorrection } from './bank-accounts/use-correction.ts';
export { type BankProfile, findBankProfile, profileVersion } from './bank-profile.ts';
export { BATCH_STATUSES, type BatchStatus } from './batches/batch.ts';
export { readBatchFile } from './batches/batch-file.ts';
export { approveBatch, cancelBatch, removeFromBatch } from './batches/decide-batch.ts';
export { isBankDay } from './batches/effective-date.ts';
export { findBatchEntry, type RequestInBatch } from './batches/find-batch-entry.ts';
export { GATHER_MAX, gatherBatch } from './batches/gather-batch.ts';
export { generateFile } from './batches/generate-file.ts';
export {
  type BatchDetails,
  type BatchEntry,
  type BatchSummary,
  getBatch,
  listBatches,
} from './batches/list-batches.ts';
export { listWaitingBatches, type WaitingBatch } from './batches/list-waiting-batches.ts';
export { confirmOutcome, downloadFile, releaseFile } from './batches/release-file.ts';
export { settleBatch } from './batches/settle-batch.ts';
export { SIGNATURES_NEEDED, signFile } from './batches/sign-file.ts';
export { remadeDate, unblockBatch } from './batches/unblock-batch.ts';
export { ABOUT_THE_ACCOUNT } from './batches/what-is-unusual.ts';
export {
  type DuePayment,
  listDuePayments,
  listPaidRequests,
  listReadyRequests,
  PAYMENT_STATES,
  type PaidRequest,
  type PaymentState,
  type ReadyRequest,
} from './list-payments.ts';
export { type ExplainedRecord, explainNachaFile } from './nacha/explain-nacha-file.ts';
export {
  getCaseProjection,
  listShortfalls,
  PROJECTED_MONTHS,
  type Projection,
  type Shortfall,
} from './projection/case-projection.ts';
export { warnOfShortfalls } from './projection/warn-of-shortfalls.ts';
export { getProof, type IssuedProof, issueProof, listProofs, PROOF_WITHDRAWERS, withdrawProof } from './proof/issue-proof.ts';
export { findProofOfFunds, proveFunds } from './proof/proof-of-funds.ts';
export { proofOfFundsPdf } from './proof/proof-pdf.ts';
export {
  getReturnFile,
  listReturnFiles,
  listWaitingReturnFiles,
  type ReturnFile,
  type ReturnFileSummary,
  type ShownReturn,
} from './returns/list-return-files.ts';
export type { PlannedOutcome } from './returns/plan-returns.ts';
export { confirmReturnFile, refuseReturnFile, uploadReturnFile } from './returns/return-file.ts';
export { type BankProfileInput, setBankProfile } from './set-bank-profile.ts';
export { type CaseStatement, getCaseStatement } from './statements/case-statement.ts';
export { listOwnPayments } from './statements/own-payments.ts';
export { readPeriod } from './statements/period.ts';
export { readCaseStatement, readOwnPayments } from './statements/read-statements.ts';
export { caseStatementCsv, ownPaymentsCsv } from './statements/statement-csv.ts';
export { caseStatementPdf, ownPaymentsPdf } from './statements/statement-pdf.ts';
