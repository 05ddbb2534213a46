import type { Executor } from '@case-platform/lib/database';
import { addEvent } from '@case-platform/lib/outbox/add-event';

/** The kind of text that an admin is typing in a chain. */
export type WritingKind = 'reply' | 'note';

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
export interface CaseChange {
  kind: 'case';
  case_id: number;
  user_id: number | null;
}

/** A session of the web frontend has ended. Its live streams end too. */
export interface SessionEnd {
  kind: 'session_end';
  user_id: number;
}

/** Measures how late events arrive. Only the process that sent it is concerned. */
export interface LagProbeEvent {
  kind: 'lag_probe';
  probe: string;
}

/**
 * The event as it arrives. Every transaction before `since` had ended when this one was published, and was published earlier.
 * `audience` has the ids of the people who could see it then; it is absent if the publisher did not find them.
 */
type Announced<Event> = Event & { since: string; audience?: number[] };
export type ChainAnnouncement = Announced<ChainEvent>;
export type CaseAnnouncement = Announced<CaseChange>;
export type Announcement = ChainAnnouncement | CaseAnnouncement | Announced<SessionEnd | LagProbeEvent>;

/** Announces an event to the readers of all processes, if the transaction commits. */
export async function announce(tx: Executor, event: ChainEvent | SessionEnd | LagProbeEvent): Promise<void> {
  await addEvent(tx, event);
}
