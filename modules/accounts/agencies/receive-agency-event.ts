import type { Database } from '@case-platform/lib/database';
import { invalid, NotFoundError } from '@case-platform/lib/errors';
import { oneLine } from '@case-platform/lib/human-text';
import { query, sql } from '@case-platform/lib/sql';

export interface AgencyEvent {
  id: string;
  type: string;
  case_id?: number | undefined;
  data?: unknown;
}

/**
 * Keeps what an agency tells us; the same id from the same agency is kept once.
 * @returns whether it had come before.
 * @throws {NotFoundError} for a case of another agency. @throws {InvalidInputError} for a type in which nothing can be read.
 */
export async function receiveAgencyEvent(db: Database, agencyId: number, event: AgencyEvent): Promise<boolean> {
  const { id, case_id = null, data = null } = event;
  const type = oneLine(event.type);
  if (type === '') throw invalid('type', 'Say what happened.');
  if (case_id !== null) {
    const [own] = await query(db, sql`select id from case_file where id = ${case_id} and agency_id = ${agencyId}`);
    if (own === undefined) throw new NotFoundError('Your agency has no such case.');
  }
  const kept = await query(
    db,
    sql`insert into agency_event (agency_id, event_id, type, case_id, data)
        values (${agencyId}, ${id}, ${type}, ${case_id}, ${data === null ? null : JSON.stringify(data)})
        on conflict do nothing returning event_id`,
  );
  return kept.length === 0;
}
