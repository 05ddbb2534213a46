import { createHash } from 'node:crypto';
import type { Executor } from '@case-platform/lib/database';
import { type IdempotencyClaim, keyReused } from '@case-platform/lib/idempotency';
import { query, sql } from '@case-platform/lib/sql';
import type { IncomingFile } from './store-attachments.ts';

export interface SentMessage {
  chain_id: number;
  message_id: number;
}

/**
 * Finds the message that its sender sent with this key at any time, also after the claim of the key has expired: the key is
 * the message's identity (MESSAGE-5).
 * @throws {InvalidInputError} when the key was used with another message.
 */
export async function findEarlierMessage(
  db: Executor,
  claim: IdempotencyClaim,
  { chainId, isFirst }: { chainId: number; isFirst: boolean },
  text: string,
): Promise<SentMessage | undefined> {
  const inSamePlace = isFirst
    ? sql`not exists (select from message earlier where earlier.chain_id = m.chain_id and earlier.id < m.id)`
    : sql`m.chain_id = ${chainId}`;
  const [message] = await query<SentMessage & { is_same: boolean }>(
    db,
    sql`select m.chain_id, m.id as message_id, (m.message = ${text} or m.retracted_at is not null) and ${inSamePlace} as is_same
          from message m where m.from_id = ${claim.userId} and m.client_key = ${claim.key}`,
  );
  if (message === undefined) return undefined;
  const { is_same, ...ids } = message;
  if (!is_same) throw keyReused();
  return ids;
}

/** Hashes everything that makes two requests to send a message the same. */
export async function hashMessage(request: object, files: readonly IncomingFile[]): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify(request));
  for (const { filename, content } of files) {
    hash.update(JSON.stringify([filename, content.size]));
    for await (const chunk of content.open()) hash.update(chunk);
  }
  return hash.digest();
}
