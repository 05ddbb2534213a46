export {
  CASE_IS_VISIBLE,
  CASE_STATUSES,
  type CaseStatus,
  type CaseSummary,
  canAccessCase,
  caseAccessParameters,
  findCase,
} from './case-access.ts';
export { type CaseOutline, findCaseOutline, listCaseNames } from './case-outline.ts';
export { type CasePerson, listCasePeople, listSharedCases } from './case-people.ts';
export { CASE_SORTS, type CaseFilter, type CaseSort, listCases } from './list-cases.ts';
