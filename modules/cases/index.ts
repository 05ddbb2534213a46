export { addMilestone } from './calendar/add-milestone.ts';
export {
  findNextScheduledPayment,
  leftOf,
  listScheduledPayments,
  type RequestConditions,
  SCHEDULED_PAYMENT_STATUSES,
  type ScheduledPayment,
  type ScheduledPaymentStatus,
} from './calendar/list-scheduled-payments.ts';
export { listMilestones, MILESTONE_KINDS, type Milestone, type MilestoneKind } from './calendar/milestones.ts';
export {
  addScheduledPayment,
  cancelScheduledPayment,
  markScheduledPaymentPaid,
  reopenScheduledPayment,
} from './calendar/scheduled-payments.ts';
export {
  CASE_COLUMNS,
  CASE_STATUSES,
  type CaseAccessReason,
  type CaseReader,
  type CaseStatus,
  type CaseSummary,
  canAccessCase,
  caseIsVisible,
  caseIsVisibleToAdmin,
  caseIsVisibleToUser,
  casesOfUser,
  findCase,
  ownCases,
} from './case-access.ts';
export { listCaseCategories, requireCategory } from './case-categories.ts';
export { getCaseDetail } from './case-detail.ts';
export {
  beginCaseDocument,
  type CaseDocument,
  confirmCaseDocument,
  listCaseDocuments,
  removeCaseDocument,
} from './case-documents.ts';
export { mailLastScheduledPayment, mailPregnancyFunding, remindOfClosing } from './case-mails.ts';
export { type CaseOutline, findCaseOutline, listCaseNames } from './case-outline.ts';
export {
  CASE_MOVES,
  changeCaseStatus,
  closedFrom,
  ENDING_CASE_STATUSES,
  OPEN_CASE_STATUSES,
} from './change-case-status.ts';
export { createCase } from './create-case.ts';
export { type CaseAccessExplanation, explainCaseAccess } from './explain-case-access.ts';
export { findCaseAudiences } from './find-case-audiences.ts';
export { type AgencyEventSeen, listEventsOfAgency, listEventsOfCase } from './list-agency-events.ts';
export { listCases } from './list-cases.ts';
export { listCasesOf } from './list-cases-of.ts';
export { type ClosingCase, listClosingCases } from './list-closing-cases.ts';
export { listOpenMoney, type OpenMoney, openMoneyWords } from './open-money.ts';
export { parseAmount } from './parse-amount.ts';
export { parseCategory } from './parse-case-fields.ts';
export { announceName, mailNameChange } from './people/announce-name.ts';
export { addParticipant, removeParticipant } from './people/case-participants.ts';
export { type CasePerson, listCasePeople, listSharedCases } from './people/case-people.ts';
export { addToTeam, listCaseTeam, removeFromTeam, type TeamMember } from './people/case-team.ts';
export { designatedApprover, staffMayDecide } from './people/designated-approver.ts';
export { listStaffWhoCan } from './people/list-staff-who-can.ts';
export { listPeopleOfCases, type PeopleOfCase } from './people/people-of-cases.ts';
export { personJson } from './people/person-json.ts';
export { requireOpenCase } from './require-open-case.ts';
export { SEARCHED_CASES } from './searched-cases.ts';
export { setEscrowSpecialist, updateCase } from './update-case.ts';
export { CASE_SORTS, type CaseSort } from './walk-cases.ts';
