import type { Database } from '@case-platform/db';
import { sql } from 'kysely';
import { listCatalogue } from './catalogue.ts';

const SYNCHRONISE_LOCK = 7_214_010_002;

/**
 * Makes `admin_permission` hold exactly the catalogue: new entries are added, stale ones removed together with the roles'
 * grants of them (specification, 'Admin role and permission'). An advisory lock lets any number of processes start at once.
 * @returns what was added and removed, to be logged.
 */
export async function synchronisePermissions(db: Database): Promise<{ added: string[]; removed: string[] }> {
  const catalogue = listCatalogue();
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${SYNCHRONISE_LOCK})`.execute(tx);
    const known = await tx.selectFrom('admin_permission').select('value').execute();
    const before = new Set(known.map((row) => row.value));
    await tx
      .insertInto('admin_permission')
      .values(catalogue)
      .onConflict((conflict) =>
        conflict.column('value').doUpdateSet({
          category: (set) => set.ref('excluded.category'),
          name: (set) => set.ref('excluded.name'),
        }),
      )
      .execute();
    const values = catalogue.map((entry) => entry.value);
    const removed = await tx
      .deleteFrom('admin_permission')
      .where('value', 'not in', values)
      .returning('value')
      .execute();
    return { added: values.filter((value) => !before.has(value)), removed: removed.map((row) => row.value) };
  });
}
