import type { Executor } from '@case-platform/lib/database';
import { limitTo, NO_SQL, query, rowsFor, sql } from '@case-platform/lib/sql';
import type { UserType } from '@case-platform/words/user-types';
import type { Agency } from './agency-keys.ts';

export interface AgencySummary extends Agency {
  created_at: Date;
  live_keys: number;
  last_used_at: Date | null;
  people: number;
}

const SUMMARY = sql`
  select a.id, a.name, a.created_at,
         (select count(*)::int from agency_api_key k where k.agency_id = a.id and k.revoked_at is null) as live_keys,
         (select max(k.last_used_at) from agency_api_key k where k.agency_id = a.id) as last_used_at,
         (select count(*)::int from user_account u where u.agency_id = a.id and u.status = 'active') as people
    from agency a`;

/** Lists agencies by name in keyset pages, beginning after the agency with the id `after`. */
export async function listAgencies(
  db: Executor,
  { after, limit = 50 }: { after?: number | undefined; limit?: number } = {},
): Promise<{ data: AgencySummary[]; next_after: number | null }> {
  const beyond =
    after === undefined
      ? NO_SQL
      : sql`where (lower(a.name), a.id) > (select lower(b.name), b.id from agency b where b.id = ${after})`;
  const rows = await query<AgencySummary>(db, sql`${SUMMARY} ${beyond} order by lower(a.name), a.id ${limitTo(rowsFor(limit))}`);
  const data = rows.slice(0, limit);
  return { data, next_after: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
}

export async function findAgency(db: Executor, agencyId: number): Promise<AgencySummary | null> {
  const [agency] = await query<AgencySummary>(db, sql`${SUMMARY} where a.id = ${agencyId}`);
  return agency ?? null;
}

export interface AgencyPerson {
  id: number;
  first_name: string;
  last_name: string;
  email_address: string;
  user_type: UserType;
}

export async function listAgencyPeople(db: Executor, agencyId: number): Promise<AgencyPerson[]> {
  return query<AgencyPerson>(
    db,
    sql`select id, first_name, last_name, email_address, user_type from user_account
         where agency_id = ${agencyId} and status = 'active' order by user_type desc, first_name, last_name, id`,
  );
}
