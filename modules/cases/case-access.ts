import type { Executor } from '@case-platform/lib/database';
import { anyOf, NO_SQL, query, type Sql, sql, unionOf } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { adminHasPermission } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';

/** A person who may see cases: one by value, or each row of a statement by expressions. */
export interface CaseReader {
  id: number | Sql;
  user_type: UserType;
  agency_id: number | Sql | null;
}

interface Reason {
  user_types: readonly UserType[];
  /** The table whose rows give access; its column `case_id` names the case. */
  table: Sql;
  case_id: Sql;
  /** The condition on rows of the table that give the reader access. */
  where: (row: Sql, reader: CaseReader) => Sql;
}

const NOT_STAFF: readonly UserType[] = ['surrogate', 'cm', 'owner', 'ip', 'ip_rep'];
const ON_CASE_FILE = { table: sql`case_file`, case_id: sql`id` };

/** The reasons to see a case (CASE-1). Everything below is derived from this table. */
const REASONS = {
  participant: {
    user_types: NOT_STAFF,
    table: sql`case_participant`,
    case_id: sql`case_id`,
    where: (row, reader) => sql`${row}.user_id = ${reader.id} and ${row}.left_at is null${ofTheirAgency(row, reader)}`,
  },
  agency_owner: {
    ...ON_CASE_FILE,
    user_types: ['owner'],
    where: (row, { agency_id }) => sql`${row}.agency_id = ${agency_id}`,
  },
  escrow_specialist: {
    ...ON_CASE_FILE,
    user_types: ['admin'],
    where: (row, { id }) => sql`${row}.escrow_specialist_id = ${id}`,
  },
  case_team: {
    user_types: ['admin'],
    table: sql`case_admin`,
    case_id: sql`case_id`,
    where: (row, { id }) => sql`${row}.user_id = ${id}`,
  },
  view_all_cases: {
    ...ON_CASE_FILE,
    user_types: ['admin'],
    where: (_row, { id }) => adminHasPermission(id, 'view_all_cases'),
  },
} satisfies Record<string, Reason>;

/**
 * People of an agency see a case through it. After they or the case moved to another agency, being on the case gives no access
 * (CASE-10).
 */
function ofTheirAgency(row: Sql, { user_type, agency_id }: CaseReader): Sql {
  if (user_type !== 'cm' && user_type !== 'owner') return NO_SQL;
  return sql` and exists (select from case_file theirs where theirs.id = ${row}.case_id and theirs.agency_id = ${agency_id})`;
}

export type CaseAccessReason = keyof typeof REASONS;
export const CASE_ACCESS_REASON_NAMES = Object.keys(REASONS) as CaseAccessReason[];

const C = sql`c`;

/** The reason as a condition on a row of `case_file`; false for user types that it never applies to. */
export function caseAccessReason(name: CaseAccessReason, reader: CaseReader, caseFile = C): Sql {
  const { user_types, table, case_id, where }: Reason = REASONS[name];
  if (!user_types.includes(reader.user_type)) return sql`false`;
  if (table === ON_CASE_FILE.table) return sql`(${where(caseFile, reader)})`;
  const row = sql`given`;
  return sql`exists (select from ${table} ${row} where ${row}.${case_id} = ${caseFile}.id and ${where(row, reader)})`;
}

function reasonsOf({ user_type }: CaseReader): CaseAccessReason[] {
  return CASE_ACCESS_REASON_NAMES.filter((name) => (REASONS[name] as Reason).user_types.includes(user_type));
}

/**
 * The reader's reasons as separate conditions on `case_file c`, for lists that query each by itself, because PostgreSQL would
 * read every case if they were joined with `or`.
 * @param mine leaves out `view_all_cases`.
 */
export function caseAccessReasons(reader: CaseReader, { mine = false } = {}): Sql[] {
  const names = reasonsOf(reader).filter((name) => !mine || name !== 'view_all_cases');
  return names.map((name) => caseAccessReason(name, reader));
}

/** A condition: the reader sees the case, for any of the reasons. @param caseFile the alias of `case_file`. */
export function caseIsVisible(reader: CaseReader, caseFile = C): Sql {
  return anyOf(reasonsOf(reader).map((name) => caseAccessReason(name, reader, caseFile)));
}

/** A condition for queries about many admins: the admin sees the case. @param admin an expression of the admin's id. */
export function caseIsVisibleToAdmin(admin: Sql, caseFile = C): Sql {
  return caseIsVisible({ id: admin, user_type: 'admin', agency_id: null }, caseFile);
}

/**
 * A condition: the person in a row sees the case. @param user the alias of `user_account`. @param caseFile the alias of
 * `case_file`.
 */
export function caseIsVisibleToUser(user: Sql, caseFile = C): Sql {
  return anyOf(
    CASE_ACCESS_REASON_NAMES.flatMap((name) =>
      REASONS[name].user_types.map((user_type) => {
        const reader = { id: sql`${user}.id`, user_type, agency_id: sql`${user}.agency_id` };
        return sql`(${user}.user_type = ${user_type} and ${caseAccessReason(name, reader, caseFile)})`;
      }),
    ),
  );
}

/** The reader's own cases, as `(case_id)`: all that they see except those that only `view_all_cases` adds. */
export function ownCases(reader: CaseReader): Sql {
  const sets = reasonsOf(reader)
    .filter((name) => name !== 'view_all_cases')
    .map((name) => {
      const { table, case_id, where }: Reason = REASONS[name];
      return sql`select given.${case_id} as case_id from ${table} given where ${where(sql`given`, reader)}`;
    });
  return unionOf(sets);
}

/** The cases of the user in a row, as `(case_id)`; none for staff. @param user the alias of `user_account`. */
export function casesOfUser(user: Sql): Sql {
  return unionOf(
    NOT_STAFF.map((user_type) => {
      const own = ownCases({ id: sql`${user}.id`, user_type, agency_id: sql`${user}.agency_id` });
      return sql`select own.case_id from (${own}) own where ${user}.user_type = ${user_type}`;
    }),
  );
}

/** See CASE-5. */
export const CASE_STATUSES = ['intake', 'pending_funding', 'active', 'on_hold', 'closing', 'closed', 'cancelled'] as const;
export type CaseStatus = (typeof CASE_STATUSES)[number];

export interface CaseSummary {
  id: number;
  name: string;
  status: CaseStatus;
  agency_id: number | null;
  escrow_specialist_id: number | null;
  created_at: Date;
  updated_at: Date;
}

/** The columns of a `CaseSummary` from `case_file c`. */
export const CASE_COLUMNS = sql`c.id, c.name, c.status, c.agency_id, c.escrow_specialist_id, c.created_at, c.updated_at`;

/** The case, or null if this user may not see it. */
export async function findCase(db: Executor, user: User, caseId: number): Promise<CaseSummary | null> {
  const [caseFile] = await query<CaseSummary>(
    db,
    sql`select ${CASE_COLUMNS} from case_file c where c.id = ${caseId} and ${caseIsVisible(user)}`,
  );
  return caseFile ?? null;
}

export async function canAccessCase(db: Executor, user: User, caseId: number): Promise<boolean> {
  return (await findCase(db, user, caseId)) !== null;
}
