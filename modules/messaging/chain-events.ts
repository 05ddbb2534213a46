import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** The kind of text that an admin is typing in a chain. */
export type WritingKind = 'reply' | 'note';

/** The channel on which the database announces changes of a chain. */
export const CHAIN_EVENTS = 'chain_event';

/**
 * A change of a chain: a new message; marks set or removed (by one person, or for all staff); the chain itself (assigned,
 * closed, a message retracted, someone left); a new note of staff; an admin who is typing.
 */
export type ChainEvent =
  | { kind: 'message'; chain_id: number; message_id: number }
  | { kind: 'marks'; chain_id: number; user_id: number | null }
  /** `no_longer` lists the people who just lost access; they are notified too. */
  | { kind: 'chain'; chain_id: number; no_longer?: number[] }
  | { kind: 'note'; chain_id: number }
  | { kind: 'writing'; chain_id: number; user_id: number; name: string; writing: WritingKind };

/**
 * The money of a case or a request has changed. Triggers of the tables announce it (`announce_case` in db/schema.sql). With
 * `user_id`, it is a draft, which concerns only its author.
 */
interface CaseChange {
  kind: 'case';
  case_id: number;
  user_id: number | null;
}

/** A session of the web frontend has ended. Its live streams end too. */
export interface SessionEnd {
  kind: 'session_end';
  user_id: number;
}

/** The event as it arrives. Every transaction before `since` had ended when this one checked, and was announced earlier. */
export type ChainAnnouncement = ChainEvent & { since: string };
export type CaseAnnouncement = CaseChange & { since: string };
export type Announcement = ChainAnnouncement | CaseAnnouncement | (SessionEnd & { since: string });

/** Notifies all listeners when the transaction commits, in the order of commits. */
export async function announce(tx: Executor, event: ChainEvent | SessionEnd): Promise<void> {
  await query(
    tx,
    sql`select pg_notify(${CHAIN_EVENTS},
                         (${JSON.stringify(event)}::jsonb || jsonb_build_object('since', current_place()))::text)`,
  );
}
