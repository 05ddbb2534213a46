import type { Database } from '@case-platform/lib/database';
import { invalid, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { isExactText } from '@case-platform/lib/text/exact-text';
import { cleanLine } from '@case-platform/lib/text/human-text';

export interface AgencyEvent {
  id: string;
  type: string;
  case_id?: number | undefined;
  data?: unknown;
}

/**
 * Stores an agency's event once per id; ids are compared exactly as received (KEY-3, KEY-4).
 * @returns true if the id was already stored.
 * @throws {NotFoundError} for a case of another agency. @throws {InvalidInputError} for an id that cannot be stored exactly, and
 * for a type without visible characters.
 */
export async function receiveAgencyEvent(db: Database, agencyId: number, event: AgencyEvent): Promise<boolean> {
  const { id, case_id = null, data = null } = event;
  if (!isExactText(id)) throw invalid('id', 'An id can’t contain unpaired surrogates or NUL characters.');
  const type = cleanLine(event.type);
  if (type === '') throw invalid('type', 'Say what happened.');
  if (case_id !== null) {
    const [ownCase] = await query(db, sql`select id from case_file where id = ${case_id} and agency_id = ${agencyId}`);
    if (ownCase === undefined) throw new NotFoundError('Your agency has no such case.');
  }
  const rows = await query(
    db,
    sql`insert into agency_event (agency_id, event_id, type, case_id, data)
        values (${agencyId}, ${id}, ${type}, ${case_id}, ${data === null ? null : JSON.stringify(data)})
        on conflict do nothing returning event_id`,
  );
  return rows.length === 0;
}
