import { allOf, limitTo, type Sql, sql, trustedSql, unionOf } from '@case-platform/lib/sql';
import { type CaseReader, caseAccessReasons } from './case-access.ts';

/** A minus sign means descending. */
export const CASE_SORTS = ['updated_at', '-updated_at', 'name', '-name', 'created_at', '-created_at'] as const;
export type CaseSort = (typeof CASE_SORTS)[number];

const SORT_TYPES = { updated_at: 'timestamptz', name: 'text', created_at: 'timestamptz' } as const;

export interface CaseWalk {
  reader: CaseReader;
  /** For admins: only their own cases. */
  mine: boolean;
  conditions: readonly Sql[];
  sort: CaseSort;
  most: number;
}

/** The first sort column of `case_file c`; the id comes second. */
export function sortColumn(sort: CaseSort): Sql {
  return trustedSql(`c.${sort.replace('-', '')}`);
}

export function inOrder(sort: CaseSort): Sql {
  const direction = trustedSql(sort.startsWith('-') ? 'desc' : 'asc');
  return sql`order by ${sortColumn(sort)} ${direction}, c.id ${direction}`;
}

/** A condition: a case comes after this one in the sort order. @param key the value of the sort column, as text. */
export function isBehind(sort: CaseSort, key: string, id: number): Sql {
  const type = trustedSql(SORT_TYPES[sort.replace('-', '') as keyof typeof SORT_TYPES]);
  const beyond = trustedSql(sort.startsWith('-') ? '<' : '>');
  return sql`(${sortColumn(sort)}, c.id) ${beyond} (${key}::${type}, ${id}::bigint)`;
}

/** The ids of the first cases, with one branch per reason, each of which walks its own index and stops early. */
export function walkCases({ reader, mine, conditions, sort, most }: CaseWalk): Sql {
  return unionOf(
    caseAccessReasons(reader, { mine }).map(
      (reason) => sql`(select c.id from case_file c where ${allOf([reason, ...conditions])} ${inOrder(sort)} ${limitTo(most)})`,
    ),
  );
}
