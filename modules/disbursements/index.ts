export { approveDisbursement, cancelDisbursement, denyDisbursement } from './approval/approve-disbursement.ts';
export { approveTogether } from './approval/approve-together.ts';
export { leaveCase, reassignApprovalsOf } from './approval/reassign-approvals.ts';
export { undoApproval } from './approval/undo-approval.ts';
export { BENEFIT_PERIODS, type BenefitPeriod, isCompensation } from './benefits/benefit.ts';
export { type BenefitNow, listBenefits } from './benefits/list-benefits.ts';
export { listRequestBenefits, type RequestBenefit } from './benefits/request-benefits.ts';
export { addBenefit, changeBenefit, removeBenefit, setBenefits } from './benefits/set-benefits.ts';
export { createDisbursement } from './create-disbursement.ts';
export {
  contentIsVisible,
  disbursementIsVisible,
  findDisbursementCase,
  findDraftsOfOthers,
  PAYERS,
  REQUEST_READERS,
  readsRequests,
  requestConditions,
  requireCaseDisbursements,
} from './disbursement-access.ts';
export {
  beginReceipt,
  confirmReceipt,
  type DisbursementFile,
  listDisbursementFiles,
  removeReceipt,
} from './disbursement-files.ts';
export {
  COMMANDS,
  DISBURSEMENT_STATUSES,
  type DisbursementCommand,
  type DisbursementStatus,
  GUARDS,
  type Guard,
  type Move,
  NOTIFIED,
} from './disbursement-states.ts';
export { lockPayee } from './disbursement-version.ts';
export { endDisbursement } from './end-disbursement.ts';
export { linkChain } from './link-chain.ts';
export {
  type Disbursement,
  type DraftOfAnother,
  findDisbursement,
  getDisbursement,
  listDisbursements,
} from './list-disbursements.ts';
export { type HomeRequests, listHomeRequests } from './list-home-requests.ts';
export { listStuckRequests } from './list-stuck-requests.ts';
export { changesOfResubmissions, listTimelines, type TimelineEntry } from './list-timelines.ts';
export { mailDisbursement, pushDisbursement } from './notify-disbursement.ts';
export { listPayees } from './payable/list-payees.ts';
export { listNamedPayments, type NamedPayment, namePayments } from './payable/name-payments.ts';
export { listNotPayable, requirePayable } from './payable/require-payable.ts';
export { NOT_PAYABLE_REASONS, type NotPayable, type NotPayableReason } from './payable/why-not-payable.ts';
export {
  approveForFirstAccount,
  listStoppedByAccountChange,
  removeOutdatedApprovals,
  stopOutdatedPayments,
} from './payee-account/account-change.ts';
export { listChangedAccounts } from './payee-account/list-changed-accounts.ts';
export { mailStoppedPayments, pushStoppedPayments } from './payee-account/notify-stopped.ts';
export { askQuestion } from './payment-stop/ask-question.ts';
export { listPaymentStops, type PaymentStop } from './payment-stop/list-payment-stops.ts';
export { mailPaymentStop, pushPaymentStop } from './payment-stop/notify-payment-stop.ts';
export { clearStop } from './payment-stop/payment-stop.ts';
export { retryDisbursement } from './retry-disbursement.ts';
export { SEARCHED_REQUESTS } from './search/searched-requests.ts';
export {
  batchDisbursements,
  payDisbursements,
  returnDisbursement,
  sendDisbursements,
  setBankDate,
  unbatchDisbursements,
} from './settle-disbursements.ts';
export { submitDisbursement } from './submit-disbursement.ts';
export { updateDisbursement } from './update-disbursement.ts';
export { CUT_OFF_HOUR } from './whereabouts/expected-bank-date.ts';
export { findIncomingMoney, type IncomingMoney } from './whereabouts/find-incoming-money.ts';
export { findPlaces } from './whereabouts/find-places.ts';
export { listPlaces } from './whereabouts/list-places.ts';
export { listSetAside } from './whereabouts/list-set-aside.ts';
export { moveDates, moveDatesOfPayees, movePassedDates } from './whereabouts/move-dates.ts';
export { mailMovedDates, pushMovedDates } from './whereabouts/notify-moves.ts';
export type { Whereabouts } from './whereabouts/whereabouts.ts';
