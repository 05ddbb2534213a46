import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** What an admin is writing in a chain. */
export type WritingKind = 'reply' | 'note';

/** The channel on which the database says that something happened in a chain. */
export const CHAIN_EVENTS = 'chain_event';

/**
 * What happened: a message was written; marks were set or taken away (by one person, or for all of staff); the chain
 * itself changed (assigned, closed, a message retracted, someone left); a note among staff was written; an admin is writing.
 */
export type ChainEvent =
  | { kind: 'message'; chain_id: number; message_id: number }
  | { kind: 'marks'; chain_id: number; user_id: number | null }
  /** `no_longer`: those who have just lost sight of it, and are told so. */
  | { kind: 'chain'; chain_id: number; no_longer?: number[] }
  | { kind: 'note'; chain_id: number }
  | { kind: 'writing'; chain_id: number; user_id: number; name: string; writing: WritingKind };

/**
 * The money of a case, or a request for it, has changed: announced by the tables themselves (`announce_case` in db/schema.sql).
 * `user_id`: it concerns this person alone, whose draft it is.
 */
interface CaseChange {
  kind: 'case';
  case_id: number;
  user_id: number | null;
  /** The transaction that has changed it. */
  transaction: string;
}

/** A sign-in of the web frontend has ended: whoever still reads for it is told nothing more. */
export interface SessionEnd {
  kind: 'session_end';
  user_id: number;
}

/** As it arrives; every transaction before `since` was over when this one looked, and has been announced before it. */
export type ChainAnnouncement = ChainEvent & { since: string };
export type CaseAnnouncement = CaseChange & { since: string };
export type Announcement = ChainAnnouncement | CaseAnnouncement | (SessionEnd & { since: string });

/**
 * Tells everyone who listens, when and only when the transaction commits. PostgreSQL announces in the order of commits.
 */
export async function announce(tx: Executor, event: ChainEvent | SessionEnd): Promise<void> {
  await query(
    tx,
    sql`select pg_notify(${CHAIN_EVENTS},
                         (${JSON.stringify(event)}::jsonb || jsonb_build_object('since', current_place()))::text)`,
  );
}
