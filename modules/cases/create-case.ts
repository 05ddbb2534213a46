import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { checkAgency, checkCaseName } from './check-case-fields.ts';

/**
 * Opens a case at intake. The admin who opens it is on its team, so that it is theirs to see; it has no Escrow Specialist yet.
 * @returns the number of the case.
 * @throws {InvalidInputError} for a name of no or more than 200 characters, or an agency that does not exist.
 */
export async function createCase(
  db: Database,
  { name, agency_id }: { name: string; agency_id: number | null },
  by: ChangedBy,
): Promise<number> {
  const named = checkCaseName(name);
  return db.transaction(async (tx) => {
    await checkAgency(tx, agency_id);
    const [made] = await query<{ id: number }>(
      tx,
      sql`insert into case_file (name, agency_id) values (${named}, ${agency_id}) returning id`,
    );
    const id = made?.id ?? 0;
    if (by.actor?.user_type === 'admin')
      await query(tx, sql`insert into case_admin (case_id, user_id) values (${id}, ${by.actor.id})`);
    await recordAudit(tx, {
      ...by,
      action: 'case.create',
      subject_id: id,
      subject_label: named,
      case_id: id,
      after: { name: named, status: 'intake', agency_id },
    });
    return id;
  });
}
