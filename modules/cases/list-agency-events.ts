import type { Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { type CaseReader, caseIsVisible } from './case-access.ts';

/** Something that an agency's system has told us (POST /webhook). */
export interface AgencyEventSeen {
  event_id: string;
  agency_name: string;
  type: string;
  case_id: number | null;
  case_name: string | null;
  /** As the agency has written it. */
  data: unknown;
  received_at: Date;
}

const SHOWN = 25;

/** The newest events of an agency: those about no case, and those about cases that the reader sees. */
export function listEventsOfAgency(db: Executor, reader: CaseReader, agencyId: number): Promise<AgencyEventSeen[]> {
  return list(db, sql`e.agency_id = ${agencyId} and (e.case_id is null or ${caseIsVisible(reader)})`);
}

/** The newest events about a case, for whoever sees it; nobody else gets any. */
export function listEventsOfCase(db: Executor, reader: CaseReader, caseId: number): Promise<AgencyEventSeen[]> {
  return list(db, sql`e.case_id = ${caseId} and ${caseIsVisible(reader)}`);
}

function list(db: Executor, condition: Sql): Promise<AgencyEventSeen[]> {
  return query<AgencyEventSeen>(
    db,
    sql`select e.event_id, a.name as agency_name, e.type, e.case_id, c.name as case_name, e.data, e.received_at
          from agency_event e join agency a on a.id = e.agency_id left join case_file c on c.id = e.case_id
         where ${condition}
         order by e.received_at desc, e.event_id limit ${SHOWN}`,
  );
}
