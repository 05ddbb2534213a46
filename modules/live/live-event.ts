import type { Database } from '@case-platform/lib/database';
import type { Log } from '@case-platform/lib/log';
import type { Message, UnreadCount, WritingKind } from '@case-platform/modules/messaging';
import type { Storage } from '@case-platform/modules/storage';
import type { LiveReader } from './find-ended.ts';

/**
 * What a reader is told. `message`: one that they may read. `unread`: their count. `chain`: this chain has changed, read it
 * again. `case`: its money or its requests have changed, in a transaction that a page was rendered with or not. `writing`, for staff: a colleague is writing there just now. `resync`: too
 * much was missed, read everything again.
 * `id` is where to go on from.
 */
export type LiveEvent =
  | { event: 'message'; id: string; data: { chain_id: number; message: Message } }
  | { event: 'unread'; id: string; data: UnreadCount }
  | { event: 'chain'; id: string; data: { chain_id: number } }
  | { event: 'case'; id: string; data: { case_id: number; changed_in: string } }
  | { event: 'writing'; id: string; data: { chain_id: number; name: string; writing: WritingKind } }
  | { event: 'resync'; id: string; data: Record<string, never> };

export interface ReaderOptions extends Omit<LiveReader, 'user'> {
  /** The last event's id that this reader has had, when they come back. */
  since?: string | undefined;
  /** As of when the page was rendered that this reader looks at (`findSnapshot`). */
  rendered?: string | undefined;
  send: (event: LiveEvent) => void;
  close: () => void;
  /** Checked from time to time while the stream is open: whether the session that opened it has not expired. */
  mayStay?: () => Promise<boolean>;
}

export interface LiveContext {
  db: Database;
  storage: Storage;
  /** The database's address: LISTEN needs a connection of its own. */
  url: string;
  log: Log;
  /** How often open streams without an event are checked for access, in milliseconds; 20,000 by default. */
  checkEveryMs?: number;
}
