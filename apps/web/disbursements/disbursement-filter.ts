import { DISBURSEMENT_STATES } from '@case-platform/words/disbursement-states';
import { SEARCH_MAX } from '@case-platform/words/limits';
import type { Disbursement } from '../api/api-shapes.ts';
import { queryString } from '../look/query-string.ts';
import { idInPath } from '../messages/chain-paths.ts';

export interface DisbursementFilter {
  status?: Disbursement['status'];
  caseId?: number;
  q?: string;
}

/** Reads the filter from a URL's query and ignores invalid values. */
export function disbursementFilterIn(search: Record<string, string | string[] | undefined>): DisbursementFilter {
  const status = DISBURSEMENT_STATES.find((one) => one === search.status);
  const caseId = typeof search.case === 'string' ? idInPath(search.case) : null;
  const q = typeof search.q === 'string' ? search.q.trim().slice(0, SEARCH_MAX) : '';
  return {
    ...(status === undefined ? {} : { status }),
    ...(caseId === null ? {} : { caseId }),
    ...(q === '' ? {} : { q }),
  };
}

/** The URL query for a filter and page, including the question mark; empty for the first page of everything. */
export function disbursementFilterAddress({ status, caseId, q }: DisbursementFilter, cursor: string | null = null): string {
  return queryString({ status, case: caseId, q, cursor });
}

export function disbursementsPath({ status, caseId, q }: DisbursementFilter, cursor: string | null = null): `/api/${string}` {
  return `/api/disbursements${queryString({ status, case_id: caseId, q, cursor })}`;
}
