export { accountVersion, type BankAccount, findBankAccount, whyNotPayable } from './bank-account.ts';
export { type BankProfile, findBankProfile, profileVersion } from './bank-profile.ts';
export { BATCH_STATUSES, type BatchStatus } from './batch.ts';
export { readBatchFile } from './batch-file.ts';
export { type BankAccountInput, HOLDER_NAME_MAX } from './check-bank-account.ts';
export { approveBatch, cancelBatch, removeFromBatch } from './decide-batch.ts';
export { canStillSettle, effectiveDate } from './effective-date.ts';
export { findBatchEntry, type RequestInBatch } from './find-batch-entry.ts';
export { findCorrection, type ShownCorrection } from './find-correction.ts';
export { GATHER_MAX, gatherBatch } from './gather-batch.ts';
export { generateFile } from './generate-file.ts';
export { confirmOutcome, downloadFile, handOutFile } from './hand-out-file.ts';
export {
  type BatchDetails,
  type BatchEntry,
  type BatchStep,
  type BatchSummary,
  getBatch,
  listBatches,
  type Signature,
} from './list-batches.ts';
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
export {
  getReturnFile,
  listReturnFiles,
  listWaitingReturnFiles,
  type ReturnFile,
  type ReturnFileSummary,
  type ShownReturn,
} from './list-return-files.ts';
export { listWaitingBatches, type WaitingBatch } from './list-waiting-batches.ts';
export { type ExplainedRecord, explainNachaFile } from './nacha/explain-nacha-file.ts';
export { type ReturnFileEntry, readReturnFile } from './nacha/read-return-file.ts';
export { isRoutingNumber } from './nacha/routing-number.ts';
export type { PlannedOutcome } from './plan-returns.ts';
export { confirmReturnFile, refuseReturnFile, type SeenReturnFile, takeInReturnFile } from './return-file.ts';
export { setBankAccount } from './set-bank-account.ts';
export { type BankProfileInput, setBankProfile } from './set-bank-profile.ts';
export { settleBatch } from './settle-batch.ts';
export { SIGNATURES_NEEDED, signFile } from './sign-file.ts';
export { useCorrection } from './use-correction.ts';
