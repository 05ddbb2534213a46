export {
  CASE_IS_VISIBLE,
  type CaseSummary,
  canAccessCase,
  caseAccessParameters,
  findCase,
  listCases,
} from './case-access.ts';
export { type CasePerson, filterCaseFellows, listCasePeople } from './case-people.ts';
