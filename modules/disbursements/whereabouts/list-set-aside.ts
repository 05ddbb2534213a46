import type { Executor } from '@case-platform/lib/database';
import { limitTo, sql } from '@case-platform/lib/sql';
import { readsRequests } from '../disbursement-access.ts';
import { type Disbursement, readDisbursementLists, type Viewer } from '../list-disbursements.ts';

/** A statement shows this many; the balance that it is about contains all. */
const SHOWN = 100;

/**
 * Lists the approved requests of a case that are not paid yet, oldest first, at most 100. Empty for admins whose role reads no
 * requests. The caller has checked access to the case.
 */
export async function listSetAside(db: Executor, reader: Viewer, caseId: number, now: Date): Promise<Disbursement[]> {
  if (!(await readsRequests(db, reader))) return [];
  const lists = sql`(select 'set_aside' as list, d.id, d.id as place from disbursement_request d
    where d.case_id = ${caseId} and d.status in ('approved', 'batched') order by d.id ${limitTo(SHOWN)})`;
  return (await readDisbursementLists(db, reader, lists, now)).get('set_aside') ?? [];
}
