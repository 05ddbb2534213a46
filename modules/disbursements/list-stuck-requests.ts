import type { Executor } from '@case-platform/lib/database';
import { sql } from '@case-platform/lib/sql';
import { type Disbursement, readDisbursementLists, type Viewer } from './list-disbursements.ts';

/** The request that has waited longest in each of these cases, by case id. The caller must have checked access to the cases. */
export async function listStuckRequests(
  db: Executor,
  reader: Viewer,
  caseIds: readonly number[],
  now: Date,
): Promise<ReadonlyMap<number, Disbursement>> {
  const oldest = sql`select k.id::text as list, d.id, 0 as place
    from unnest(${[...new Set(caseIds)]}::bigint[]) k (id) cross join lateral (
      select d.id from disbursement_request d
       where d.case_id = k.id and d.status in ('submitted', 'approved', 'returned')
       order by d.status_since, d.id limit 1) d`;
  const lists = await readDisbursementLists(db, reader, oldest, now);
  return new Map([...lists].flatMap(([id, [request]]) => (request === undefined ? [] : [[Number(id), request]])));
}
