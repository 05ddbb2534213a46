import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor } from '@case-platform/lib/database';
import { ConflictError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { parseName } from '@case-platform/lib/text/typed-text';
import { AGENCY_NAME_MAX } from '@case-platform/words/limits';
import type { Agency } from './agency-keys.ts';

/**
 * Adds an agency without a key.
 * @throws {InvalidInputError} for a name that is empty, longer than 200 characters, a formula, or contains an address.
 * @throws {ConflictError} for a name that is taken.
 */
export async function createAgency(db: Database, input: string, by: ChangedBy): Promise<Agency> {
  const name = parseAgencyName(input);
  return db.transaction(async (tx) => {
    await query(tx, sql`select pg_advisory_xact_lock(hashtextextended(${name.toLowerCase()}, 7214010020))`);
    await requireFreeName(tx, name, 0);
    const [row] = await query<{ id: number }>(tx, sql`insert into agency (name) values (${name}) returning id`);
    const id = row?.id ?? 0;
    await recordAudit(tx, {
      ...by,
      action: 'agency.create',
      subject_id: id,
      subject_label: name,
      after: { name },
    });
    return { id, name };
  });
}

/** @throws {NotFoundError} for an unknown agency. @throws {InvalidInputError} @throws {ConflictError} as `createAgency`. */
export async function renameAgency(db: Database, agencyId: number, input: string, by: ChangedBy): Promise<void> {
  const name = parseAgencyName(input);
  await db.transaction(async (tx) => {
    await query(tx, sql`select pg_advisory_xact_lock(hashtextextended(${name.toLowerCase()}, 7214010020))`);
    const [agency] = await query<Agency>(tx, sql`select id, name from agency where id = ${agencyId} for update`);
    if (agency === undefined) throw new NotFoundError();
    if (agency.name === name) return;
    await requireFreeName(tx, name, agencyId);
    await query(tx, sql`update agency set name = ${name} where id = ${agencyId}`);
    await recordAudit(tx, {
      ...by,
      action: 'agency.rename',
      subject_id: agencyId,
      subject_label: name,
      before: { name: agency.name },
      after: { name },
    });
  });
}

export async function listAgencyNames(db: Executor): Promise<Agency[]> {
  return query<Agency>(db, sql`select id, name from agency order by lower(name), id`);
}

export function parseAgencyName(input: string): string {
  return parseName(input, { field: 'name', label: 'The name', max: AGENCY_NAME_MAX, empty: 'Give the agency a name.' });
}

/** Agencies with the same name would look alike in a list. */
async function requireFreeName(tx: Executor, name: string, except: number): Promise<void> {
  const namesakes = await query(tx, sql`select id from agency where lower(name) = lower(${name}) and id <> ${except}`);
  if (namesakes.length > 0) throw new ConflictError('There’s already an agency with this name.', 'name_taken');
}
