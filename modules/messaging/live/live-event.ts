import type { Database } from '@case-platform/lib/database';
import type { Log } from '@case-platform/lib/log';
import type { Storage } from '@case-platform/modules/storage';
import type { UnreadCount } from '../count-unread.ts';
import type { Message } from '../list-messages.ts';
import type { WritingKind } from './chain-events.ts';

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

export interface ReaderOptions {
  /** The last event's id that this reader has had, when they come back. */
  since?: string | undefined;
  /** As of when the page was rendered that this reader looks at (`findSnapshot`). */
  rendered?: string | undefined;
  send: (event: LiveEvent) => void;
  close: () => void;
  /** The sign-in of the web frontend that this reader reads for, and is told nothing after. */
  webSession?: string | undefined;
  /** Asked now and then, of those who read messages still: whether their own session stands. */
  mayStay?: () => Promise<boolean>;
}

export interface LiveContext {
  db: Database;
  storage: Storage;
  /** The database's address: LISTEN needs a connection of its own. */
  url: string;
  log: Log;
  /** How often those who are connected are asked whether they may stay; default 20 seconds. */
  checkEveryMs?: number;
}
