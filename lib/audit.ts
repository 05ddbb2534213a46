import type { Executor } from './database.ts';
import { query, sql } from './sql.ts';

/** Where a change came from, as the audit log keeps it. */
export interface Origin {
  layer: 'api' | 'admin' | 'worker' | 'system';
  ip_address?: string | null;
  request_id?: string | null;
  /** The visit that it was part of, by its random number. */
  visit_id?: string | null | undefined;
  /** When, for what is told afterwards, such as the past of a demo; now otherwise. */
  happened_at?: Date;
}

/** What the platform does by itself: the scheduler, a start-up synchronisation. */
export const SYSTEM: Origin = { layer: 'system' };

export interface AuditEntry {
  /** Who; null for the platform itself. */
  actor: { id: number; user_type: string } | null;
  origin: Origin;
  /** Subject and verb, in lower-case snake case: `role.update`. The first word is the subject's kind. */
  action: `${string}.${string}`;
  subject_id?: number | null;
  /** What the subject is called now, at most 300 characters of it. Nothing secret: no key, no account number. */
  subject_label?: string;
  case_id?: number | null;
  /** The fields that change, as they were and as they are; never a secret. */
  before?: Record<string, unknown> | null;
  after?: Record<string, unknown> | null;
}

/** Who makes a change and from where: what a module is given to write the change's entry. */
export type ChangedBy = Pick<AuditEntry, 'actor' | 'origin'>;

const LABEL_MAX = 300;

/**
 * Adds one entry to the audit log: who, what, before, after, when, from where. Call it in the change's own transaction, so
 * that there is no change without its entry. Nothing can be changed or removed afterwards (see db/migrations/0001_baseline.sql).
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
