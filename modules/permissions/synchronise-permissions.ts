import { recordAudit, SYSTEM } from '@case-platform/lib/audit';
import { type Database, type Executor, run } from '@case-platform/lib/database';
import { CATALOGUE_VERSION, type CatalogueEntry, listCatalogue } from './catalogue.ts';

const SYNCHRONISE_LOCK = 7_214_010_002;

export interface Synchronised {
  added: string[];
  /** `earlier -> now`. */
  renamed: string[];
  removed: string[];
  /** Set when a newer version has been here: nothing was touched. */
  newer_version: number | null;
}

interface Catalogue {
  entries: readonly CatalogueEntry[];
  version: number;
}

/**
 * Makes `admin_permission` hold exactly the catalogue: new entries are added, stale ones removed together with the roles'
 * grants of them (specification, 'Admin role and permission'). A renamed entry keeps its grants. An advisory lock lets any
 * number of processes start at once; one that is older than what the database has seen changes nothing, so that starting it
 * beside a newer one takes nothing away. Every removal is in the audit log, with the roles that lost it.
 * @returns what was done, to be logged.
 */
export async function synchronisePermissions(
  db: Database,
  { entries, version }: Catalogue = { entries: listCatalogue(), version: CATALOGUE_VERSION },
): Promise<Synchronised> {
  return db.transaction(async (tx) => {
    await run(tx, 'select pg_advisory_xact_lock($1)', [SYNCHRONISE_LOCK]);
    const [seen] = await run<{ version: number }>(tx, 'select version from permission_catalogue');
    if (seen !== undefined && seen.version > version) {
      return { added: [], renamed: [], removed: [], newer_version: seen.version };
    }
    await run(
      tx,
      `insert into permission_catalogue (version) values ($1)
       on conflict (singleton) do update set version = excluded.version where permission_catalogue.version <> excluded.version`,
      [version],
    );
    const added = await addEntries(tx, entries);
    const renamed = await keepGrantsOfRenamed(tx, entries);
    const removed = await removeStale(tx, entries);
    return { added, renamed, removed, newer_version: null };
  });
}

async function addEntries(tx: Executor, entries: readonly CatalogueEntry[]): Promise<string[]> {
  const added = await run<{ value: string; is_new: boolean }>(
    tx,
    `insert into admin_permission (value, category, name)
     select * from unnest($1::text[], $2::text[], $3::text[])
     on conflict (value) do update set category = excluded.category, name = excluded.name
     returning value, xmax = 0 as is_new`,
    [entries.map(({ value }) => value), entries.map(({ category }) => category), entries.map(({ name }) => name)],
  );
  return added.filter(({ is_new }) => is_new).map(({ value }) => value);
}

async function keepGrantsOfRenamed(tx: Executor, entries: readonly CatalogueEntry[]): Promise<string[]> {
  const renamed: string[] = [];
  for (const { value, renamed_from } of entries) {
    if (renamed_from === undefined) continue;
    const [earlier] = await run(tx, 'select value from admin_permission where value = $1', [renamed_from]);
    if (earlier === undefined) continue;
    await run(
      tx,
      `insert into admin_role_permission (admin_role_id, permission)
       select admin_role_id, $1 from admin_role_permission where permission = $2 on conflict do nothing`,
      [value, renamed_from],
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
  const stale = await run<{ value: string; category: string; name: string; roles: string[] }>(
    tx,
    `select p.value, p.category, p.name,
            array(select r.name from admin_role_permission g join admin_role r on r.id = g.admin_role_id
                   where g.permission = p.value order by r.name) as roles
       from admin_permission p where p.value <> all ($1::text[]) order by p.value`,
    [entries.map(({ value }) => value)],
  );
  const renames = new Set(entries.map(({ renamed_from }) => renamed_from));
  for (const { value, ...before } of stale) {
    await run(tx, 'delete from admin_permission where value = $1', [value]);
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
