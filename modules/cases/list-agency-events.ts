import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, type Sql, sql } from '@case-platform/lib/sql';
import { type CaseReader, caseIsVisible } from './case-access.ts';

/** An event that an agency's system sent (KEY-3). */
export interface AgencyEventSeen {
  event_id: string;
  agency_name: string;
  type: string;
  case_id: number | null;
  case_name: string | null;
  data: unknown;
  received_at: Date;
}

const SHOWN = 25;

/** Lists an agency's newest events: those without a case, and those about cases that the reader sees (KEY-6). */
export function listEventsOfAgency(db: Executor, reader: CaseReader, agencyId: number): Promise<AgencyEventSeen[]> {
  return list(db, sql`e.agency_id = ${agencyId} and (e.case_id is null or ${caseIsVisible(reader)})`);
}

/** Lists the newest events about a case; empty for readers who do not see it (KEY-6). */
export function listEventsOfCase(db: Executor, reader: CaseReader, caseId: number): Promise<AgencyEventSeen[]> {
  return list(db, sql`e.case_id = ${caseId} and ${caseIsVisible(reader)}`);
}

function list(db: Executor, condition: Sql): Promise<AgencyEventSeen[]> {
  return query<AgencyEventSeen>(
    db,
    sql`select e.event_id, a.name as agency_name, e.type, e.case_id, c.name as case_name, e.data, e.received_at
          from agency_event e join agency a on a.id = e.agency_id left join case_file c on c.id = e.case_id
         where ${condition}
         order by e.received_at desc, e.event_id ${limitTo(SHOWN)}`,
  );
}
