import { recordAudit, SYSTEM } from '@case-platform/lib/audit';
import type { Database, Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { CATALOGUE_VERSION, type CatalogueEntry, listCatalogue } from './catalogue.ts';

const SYNC_LOCK = 7_214_010_002;

export interface SyncedPermissions {
  added: string[];
  /** In the form `earlier -> now`. */
  renamed: string[];
  removed: string[];
  /** Set if a newer version has run, in which case nothing was changed. */
  newer_version: number | null;
}

interface Catalogue {
  entries: readonly CatalogueEntry[];
  version: number;
}

/**
 * Makes `admin_permission` contain exactly the catalogue: adds new entries, and removes stale ones together with their grants; a
 * renamed entry keeps its grants (ROLE-1). An advisory lock lets any number of processes start at once. A process that is older
 * than the stored version changes nothing. Every removal is in the audit log, with the roles that lost it.
 * @returns the changes, for the log.
 */
export async function syncPermissions(
  db: Database,
  { entries, version }: Catalogue = { entries: listCatalogue(), version: CATALOGUE_VERSION },
): Promise<SyncedPermissions> {
  return db.transaction(async (tx) => {
    await query(tx, sql`select pg_advisory_xact_lock(${SYNC_LOCK})`);
    const [catalogue] = await query<{ version: number }>(tx, sql`select version from permission_catalogue`);
    if (catalogue !== undefined && catalogue.version > version) {
      return { added: [], renamed: [], removed: [], newer_version: catalogue.version };
    }
    await query(
      tx,
      sql`insert into permission_catalogue (version) values (${version})
          on conflict (singleton) do update set version = excluded.version
           where permission_catalogue.version <> excluded.version`,
    );
    const added = await addEntries(tx, entries);
    const renamed = await moveGrantsOfRenamed(tx, entries);
    const removed = await removeStale(tx, entries);
    return { added, renamed, removed, newer_version: null };
  });
}

async function addEntries(tx: Executor, entries: readonly CatalogueEntry[]): Promise<string[]> {
  const rows = await query<{ value: string; is_new: boolean }>(
    tx,
    sql`insert into admin_permission (value, category, name)
        select * from unnest(${entries.map(({ value }) => value)}::text[],
                             ${entries.map(({ category }) => category)}::text[],
                             ${entries.map(({ name }) => name)}::text[])
        on conflict (value) do update set category = excluded.category, name = excluded.name
        returning value, xmax = 0 as is_new`,
  );
  return rows.filter(({ is_new }) => is_new).map(({ value }) => value);
}

async function moveGrantsOfRenamed(tx: Executor, entries: readonly CatalogueEntry[]): Promise<string[]> {
  const renamed: string[] = [];
  for (const { value, renamed_from } of entries) {
    if (renamed_from === undefined) continue;
    const [earlier] = await query(tx, sql`select value from admin_permission where value = ${renamed_from}`);
    if (earlier === undefined) continue;
    await query(
      tx,
      sql`insert into admin_role_permission (admin_role_id, permission)
          select admin_role_id, ${value} from admin_role_permission where permission = ${renamed_from}
          on conflict do nothing`,
    );
    renamed.push(`${renamed_from} -> ${value}`);
    await recordAudit(tx, {
      actor: null,
      origin: SYSTEM,
      action: 'permission.rename',
      subject_label: value,
      before: { value: renamed_from },
      after: { value },
    });
  }
  return renamed;
}

async function removeStale(tx: Executor, entries: readonly CatalogueEntry[]): Promise<string[]> {
  const stale = await query<{ value: string; category: string; name: string; roles: string[] }>(
    tx,
    sql`select p.value, p.category, p.name,
               array(select r.name from admin_role_permission g join admin_role r on r.id = g.admin_role_id
                      where g.permission = p.value order by r.name) as roles
          from admin_permission p where p.value <> all (${entries.map(({ value }) => value)}::text[]) order by p.value`,
  );
  const renames = new Set(entries.map(({ renamed_from }) => renamed_from));
  for (const { value, ...before } of stale) {
    await query(tx, sql`delete from admin_permission where value = ${value}`);
    if (renames.has(value)) continue;
    await recordAudit(tx, {
      actor: null,
      origin: SYSTEM,
      action: 'permission.remove',
      subject_label: value,
      before,
    });
  }
  return stale.map(({ value }) => value).filter((value) => !renames.has(value));
}
