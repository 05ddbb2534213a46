import type { Executor } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { allOf, query, type Sql, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';

export interface AuditFilter {
  /** Who: the records of one address can be several. Undefined: anyone; an empty list: nobody. */
  actor_ids?: readonly number[] | undefined;
  /** Such as `role.rename`. */
  action?: string | undefined;
  /** The first word of an action. */
  subject_type?: string | undefined;
  subject_id?: number | undefined;
  case_id?: number | undefined;
  /** One visit, by its number. */
  visit?: string | undefined;
  /** From this moment on. */
  from?: Date | undefined;
  /** Before this moment. */
  until?: Date | undefined;
  /** Older than this entry. */
  before?: number | undefined;
  limit?: number | undefined;
}

/** An entry of the audit log, with the names that its people and cases have now. */
export interface AuditRecord {
  id: number;
  happened_at: Date;
  /** Null: the platform itself, or somebody who was not signed in. */
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
 * The audit log, newest first, one keyset page. Each filter walks an index of its own in that order.
 * @throws {InvalidInputError} for a `before` that is no entry.
 */
export async function listAudit(
  db: Executor,
  filter: AuditFilter = {},
): Promise<{ data: AuditRecord[]; next_before: number | null }> {
  const { limit = PAGE, before } = filter;
  const bound = before === undefined ? undefined : await findBound(db, before);
  const rows = await query<AuditRecord>(db, auditStatement({ ...filter, limit: limit + 1 }, bound));
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { data: rows.slice(0, limit), next_before: last?.id ?? null };
}

/** One entry, or null. */
export async function findAuditEntry(db: Executor, id: number): Promise<AuditRecord | null> {
  const [found] = await query<AuditRecord>(db, sql`select ${ENTRY} from audit_entry e ${NAMES} where e.id = ${id}`);
  return found ?? null;
}

/** Everyone whose record has this address, in lower case; one person may have several. */
export async function findActorIds(db: Executor, email_address: string): Promise<number[]> {
  const rows = await query<{ id: number }>(db, sql`select id from user_account where email_address = ${email_address}`);
  return rows.map(({ id }) => id);
}

/** Every action that the log holds, in alphabetical order: one step in the index each. */
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

/** Where a page begins: the moment with all its digits, and the entry. */
interface Bound {
  happened_at: string;
  id: number;
}

async function findBound(db: Executor, id: number): Promise<Bound> {
  const [bound] = await query<Bound>(
    db,
    sql`select happened_at::text as happened_at, id from audit_entry where id = ${id}`,
  );
  if (bound === undefined) throw invalid('before', 'before is not an entry of this list.');
  return bound;
}

/** The statement behind `listAudit`, for a test to look at its plan. */
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
         order by a.happened_at desc, a.id desc limit ${limit}`;
  // Several people: the newest of each, each from their own part of the index.
  const page =
    actor_ids === undefined
      ? newest([])
      : sql`select p.* from unnest(${actor_ids}::bigint[]) as who (id)
             cross join lateral (${newest([sql`a.actor_id = who.id`])}) p
             order by p.happened_at desc, p.id desc limit ${limit}`;
  return sql`select ${ENTRY} from (${page}) e ${NAMES} order by e.happened_at desc, e.id desc`;
}
