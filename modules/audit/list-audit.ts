import type { Executor } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { allOf, limitTo, query, rowsFor, type Sql, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';

export interface AuditFilter {
  /** The ids of all records of a person; undefined for anyone, and an empty list for no one. */
  actor_ids?: readonly number[] | undefined;
  /** Such as `role.rename`. */
  action?: string | undefined;
  /** The first word of an action. */
  subject_type?: string | undefined;
  subject_id?: number | undefined;
  case_id?: number | undefined;
  visit?: string | undefined;
  /** Includes this time. */
  from?: Date | undefined;
  /** Excludes this time. */
  until?: Date | undefined;
  /** The id of an entry; only older ones are listed. */
  before?: number | undefined;
  limit?: number | undefined;
}

export interface AuditRecord {
  id: number;
  happened_at: Date;
  /** Null for the platform itself, or someone who was not signed in. */
  actor_id: number | null;
  actor_type: UserType | null;
  actor_name: string | null;
  layer: 'api' | 'admin' | 'worker' | 'system';
  action: string;
  subject_type: string;
  subject_id: number | null;
  subject_label: string;
  case_id: number | null;
  case_name: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  ip_address: string | null;
  request_id: string | null;
  visit_id: string | null;
}

const ENTRY = sql`
  e.id, e.happened_at, e.actor_id, e.actor_type,
  ${fullName(sql`u`)} as actor_name,
  e.layer, e.action, e.subject_type, e.subject_id, e.subject_label, e.case_id, c.name as case_name,
  e.before, e.after, host(e.ip_address) as ip_address, e.request_id, e.visit_id`;
const NAMES = sql`left join user_account u on u.id = e.actor_id left join case_file c on c.id = e.case_id`;
const PAGE = 50;

/**
 * Lists audit entries, newest first, in keyset pages. Each filter uses its own index in that order (AUDIT-3).
 * @throws {InvalidInputError} if `before` is not an entry.
 */
export async function listAudit(
  db: Executor,
  filter: AuditFilter = {},
): Promise<{ data: AuditRecord[]; next_before: number | null }> {
  const { limit = PAGE, before } = filter;
  const bound = before === undefined ? undefined : await findBound(db, before);
  const rows = await query<AuditRecord>(db, auditStatement({ ...filter, limit: rowsFor(limit) }, bound));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { data: rows.slice(0, limit), next_before: last?.id ?? null };
}

export async function findAuditEntry(db: Executor, id: number): Promise<AuditRecord | null> {
  const [entry] = await query<AuditRecord>(db, sql`select ${ENTRY} from audit_entry e ${NAMES} where e.id = ${id}`);
  return entry ?? null;
}

/** The ids of all records with this address, which must be in lower case. */
export async function findActorIds(db: Executor, email_address: string): Promise<number[]> {
  const rows = await query<{ id: number }>(db, sql`select id from user_account where email_address = ${email_address}`);
  return rows.map(({ id }) => id);
}

/** Lists all actions in the log in alphabetical order, with one index step for each. */
export async function listAuditActions(db: Executor): Promise<string[]> {
  const rows = await query<{ action: string }>(
    db,
    sql`with recursive step (action) as (
          (select action from audit_entry order by action limit 1)
          union all
          select (select e.action from audit_entry e where e.action > step.action order by e.action limit 1)
            from step where step.action is not null
        ) select action from step where action is not null`,
  );
  return rows.map(({ action }) => action);
}

/** The start of a page: the exact time and id of an entry. */
interface Bound {
  happened_at: string;
  id: number;
}

async function findBound(db: Executor, id: number): Promise<Bound> {
  const [bound] = await query<Bound>(db, sql`select happened_at::text as happened_at, id from audit_entry where id = ${id}`);
  if (bound === undefined) throw invalid('before', 'before is not an entry of this list.');
  return bound;
}

/** The statement behind `listAudit`, exported so that a test can check its plan. */
export function auditStatement(filter: AuditFilter, bound?: Bound): Sql {
  const { actor_ids, action, subject_type, subject_id, case_id, visit, from, until, limit = PAGE } = filter;
  const conditions: Sql[] = [];
  if (action !== undefined) conditions.push(sql`a.action = ${action}`);
  if (subject_type !== undefined) conditions.push(sql`a.subject_type = ${subject_type}`);
  if (subject_id !== undefined) conditions.push(sql`a.subject_id = ${subject_id}`);
  if (case_id !== undefined) conditions.push(sql`a.case_id = ${case_id}`);
  if (visit !== undefined) conditions.push(sql`a.visit_id = ${visit}`);
  if (from !== undefined) conditions.push(sql`a.happened_at >= ${from}`);
  if (until !== undefined) conditions.push(sql`a.happened_at < ${until}`);
  if (bound !== undefined) {
    conditions.push(sql`(a.happened_at, a.id) < (${bound.happened_at}::timestamptz, ${bound.id}::bigint)`);
  }
  const newest = (also: readonly Sql[]) =>
    sql`select * from audit_entry a where ${allOf([...also, ...conditions])}
         order by a.happened_at desc, a.id desc ${limitTo(limit)}`;
  // For several people, the newest entries of each are read from their own part of the index.
  const page =
    actor_ids === undefined
      ? newest([])
      : sql`select p.* from unnest(${actor_ids}::bigint[]) as who (id)
             cross join lateral (${newest([sql`a.actor_id = who.id`])}) p
             order by p.happened_at desc, p.id desc ${limitTo(limit)}`;
  return sql`select ${ENTRY} from (${page}) e ${NAMES} order by e.happened_at desc, e.id desc`;
}
