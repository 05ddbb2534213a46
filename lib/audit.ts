import type { Executor } from './database.ts';
import { query, sql } from './sql.ts';

/** The source of a change, as the audit log records it. */
export interface Origin {
  layer: 'api' | 'admin' | 'worker' | 'system';
  ip_address?: string | null;
  request_id?: string | null;
  /** The random number of the visit in which it happened. */
  visit_id?: string | null | undefined;
  /** The time of a past event, as in demo data; now if unset. */
  happened_at?: Date;
}

/** The origin of changes by the platform itself: the scheduler, or a synchronization at start. */
export const SYSTEM: Origin = { layer: 'system' };

export interface AuditEntry {
  /** Null for the platform itself. */
  actor: { id: number; user_type: string } | null;
  origin: Origin;
  /** Subject and verb in lower-case snake case, such as `role.update`. The first word is the kind of the subject. */
  action: `${string}.${string}`;
  subject_id?: number | null;
  /** The subject's current name, cut to 300 characters. Never a secret: no key, no account number. */
  subject_label?: string;
  case_id?: number | null;
  /** The changed fields, before and after; never a secret. */
  before?: Record<string, unknown> | null;
  after?: Record<string, unknown> | null;
}

/** Modules need these two to write the audit entry of a change. */
export type ChangedBy = Pick<AuditEntry, 'actor' | 'origin'>;

const LABEL_MAX = 300;

/**
 * Adds one entry to the audit log (AUDIT-1). Call it in the transaction of the change, so that no change is without its entry.
 * Entries cannot be changed or removed afterwards (AUDIT-2; see db/migrations/0001_baseline.sql).
 */
export async function recordAudit(tx: Executor, entry: AuditEntry): Promise<void> {
  const { actor, origin, action, before = null, after = null } = entry;
  await query(
    tx,
    sql`insert into audit_entry (actor_id, actor_type, layer, action, subject_id, subject_label, case_id, before, after,
                                 ip_address, request_id, visit_id, happened_at)
        values (${actor?.id ?? null}, ${actor?.user_type ?? null}, ${origin.layer}, ${action},
                ${entry.subject_id ?? null}, ${(entry.subject_label ?? '').slice(0, LABEL_MAX)},
                ${entry.case_id ?? null}, ${before && JSON.stringify(before)}, ${after && JSON.stringify(after)},
                ${origin.ip_address ?? null}, ${origin.request_id ?? null}, ${origin.visit_id ?? null},
                coalesce(${origin.happened_at ?? null}::timestamptz, now()))`,
  );
}
