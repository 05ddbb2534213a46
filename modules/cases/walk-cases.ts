import { allOf, type Sql, sql, trustedSql, unionOf } from '@case-platform/lib/sql';
import { type CaseReader, caseAccessReasons } from './case-access.ts';

/** A minus in front: descending. */
export const CASE_SORTS = ['updated_at', '-updated_at', 'name', '-name', 'created_at', '-created_at'] as const;
export type CaseSort = (typeof CASE_SORTS)[number];

const SORT_TYPES = { updated_at: 'timestamptz', name: 'text', created_at: 'timestamptz' } as const;

/** The cases that somebody sees, in their order. */
export interface CaseWalk {
  reader: CaseReader;
  /** For admins: only those that are their own. */
  mine: boolean;
  /** What else is asked, of `case_file c`. */
  conditions: readonly Sql[];
  sort: CaseSort;
  /** So many at most. */
  most: number;
}

/** What `case_file c` is sorted by first; the rest is the id. */
export function sortColumn(sort: CaseSort): Sql {
  return trustedSql(`c.${sort.replace('-', '')}`);
}

export function inOrder(sort: CaseSort): Sql {
  const direction = trustedSql(sort.startsWith('-') ? 'desc' : 'asc');
  return sql`order by ${sortColumn(sort)} ${direction}, c.id ${direction}`;
}

/** The condition that a case comes behind this one. @param key what it is sorted by, as text. */
export function isBehind(sort: CaseSort, key: string, id: number): Sql {
  const type = trustedSql(SORT_TYPES[sort.replace('-', '') as keyof typeof SORT_TYPES]);
  const beyond = trustedSql(sort.startsWith('-') ? '<' : '>');
  return sql`(${sortColumn(sort)}, c.id) ${beyond} (${key}::${type}, ${id}::bigint)`;
}

/** The ids of the first ones: one branch a reason, each of which walks its own index and stops early. */
export function walkCases({ reader, mine, conditions, sort, most }: CaseWalk): Sql {
  return unionOf(
    caseAccessReasons(reader, { mine }).map(
      (reason) =>
        sql`(select c.id from case_file c where ${allOf([reason, ...conditions])} ${inOrder(sort)} limit ${most})`,
    ),
  );
}
