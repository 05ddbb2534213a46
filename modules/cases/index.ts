export {
  CASE_IS_VISIBLE,
  type CaseSummary,
  canAccessCase,
  caseAccessParameters,
  findCase,
  listCases,
} from './case-access.ts';
export { type CasePerson, listCasePeople, listSharedCases } from './case-people.ts';
