import type { Database } from '@case-platform/lib/database';
import type { Log } from '@case-platform/lib/log';
import type { Redis } from '@case-platform/lib/redis/open-redis';
import type { CaseAnnouncement, ChainAnnouncement, Message, UnreadCount, WritingKind } from '@case-platform/modules/messaging';
import type { Storage } from '@case-platform/modules/storage';
import type { LiveReader } from './find-ended.ts';

/**
 * An event on a reader's stream. `message`: a message that they may read. `unread`: their unread count. `chain`: reload this
 * conversation, because it changed. `case`: the case's money or requests changed; such changes are not repeated on a later
 * stream. `writing`, only for staff: a colleague is writing in this conversation now. `resync`: too much was missed, so reload
 * everything. `current`: the page that opened this stream shows everything except for the events that follow.
 * `id` is the place from which a stream can resume (LIVE-1).
 */
export type LiveEvent =
  | { event: 'message'; id: string; data: { chain_id: number; message: Message } }
  | { event: 'unread'; id: string; data: UnreadCount }
  | { event: 'chain'; id: string; data: { chain_id: number } }
  | { event: 'case'; id: string; data: { case_id: number } }
  | { event: 'writing'; id: string; data: { chain_id: number; name: string; writing: WritingKind } }
  | { event: 'resync' | 'current'; id: string; data: Record<string, never> };

/** A change that open pages may show. */
export type LiveChange = ChainAnnouncement | CaseAnnouncement;

export interface ReaderOptions extends Omit<LiveReader, 'user'> {
  /** The id of the reader's last event, when they come back. */
  since?: string | undefined;
  /** The milliseconds between the request for the reader's page and that for its first stream. */
  pageAge?: number | undefined;
  send: (event: LiveEvent) => void;
  close: () => void;
  /** Called from time to time; false ends the stream because the session that opened it has expired. */
  canStay?: () => Promise<boolean>;
}

export interface LiveContext {
  db: Database;
  storage: Storage;
  /** LISTEN needs a connection of its own. */
  url: string;
  /** Events arrive through it while it is there. */
  redis?: Redis | undefined;
  log: Log;
  /** The interval of access checks on open streams, in milliseconds; 20,000 by default. */
  checkEveryMs?: number;
}
