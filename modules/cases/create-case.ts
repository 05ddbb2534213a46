import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { SEARCH_VERSION, searchVector } from '@case-platform/lib/database/search-vector';
import { query, sql } from '@case-platform/lib/sql';
import { parseCaseName, requireAgency } from './parse-case-fields.ts';

/**
 * Opens a case at intake, with its creator on the team if they are an admin (CASE-9). It has no escrow specialist yet.
 * @returns the id of the case.
 * @throws {InvalidInputError} for an invalid name, or an agency that does not exist.
 */
export async function createCase(
  db: Database,
  { name, agency_id }: { name: string; agency_id: number | null },
  by: ChangedBy,
): Promise<number> {
  const checkedName = parseCaseName(name);
  return db.transaction(async (tx) => {
    await requireAgency(tx, agency_id);
    const [row] = await query<{ id: number }>(
      tx,
      sql`insert into case_file (name, agency_id, search, search_version)
          values (${checkedName}, ${agency_id}, ${searchVector(checkedName)}::tsvector, ${SEARCH_VERSION}) returning id`,
    );
    const id = row?.id ?? 0;
    if (by.actor?.user_type === 'admin')
      await query(tx, sql`insert into case_admin (case_id, user_id) values (${id}, ${by.actor.id})`);
    await recordAudit(tx, {
      ...by,
      action: 'case.create',
      subject_id: id,
      subject_label: checkedName,
      case_id: id,
      after: { name: checkedName, status: 'intake', agency_id },
    });
    return id;
  });
}
