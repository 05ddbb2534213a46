import type { Executor } from '@case-platform/lib/database';
import { answerIdempotencyKey, type IdempotencyClaim, keyReused } from '@case-platform/lib/idempotency';
import { query, sql } from '@case-platform/lib/sql';

export interface SentMessage {
  chain_id: number;
  message_id: number;
}

/**
 * What was sent with this key before, also past the time for which answers are kept: a message's identity is its sender's
 * key (decisions, section 12). The claim is answered with it.
 * @param sent what is being sent now; without `chainId` the first message of a chain.
 * @throws {InvalidInputError} when the key was another message's.
 */
export async function findSent(
  db: Executor,
  claim: IdempotencyClaim | undefined,
  { text, chainId }: { text: string; chainId?: number },
): Promise<SentMessage | null> {
  if (claim === undefined) return null;
  const inSamePlace =
    chainId === undefined
      ? sql`not exists (select from message earlier where earlier.chain_id = m.chain_id and earlier.id < m.id)`
      : sql`m.chain_id = ${chainId}`;
  const [found] = await query<SentMessage & { is_same: boolean }>(
    db,
    sql`select m.chain_id, m.id as message_id, (m.message = ${text} or m.retracted_at is not null) and ${inSamePlace} as is_same
       from message m where m.from_id = ${claim.userId} and m.client_key = ${claim.key}`,
  );
  if (found === undefined) return null;
  const { is_same, ...sent } = found;
  if (!is_same) throw keyReused();
  await answerIdempotencyKey(db, claim, sent);
  return sent;
}
