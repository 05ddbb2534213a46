import { createHash } from 'node:crypto';
import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** Only this hash of a web session's id is stored. */
export function webSessionHash(id: string): Buffer {
  return createHash('sha256').update(id).digest();
}

/**
 * Ends one session of the web frontend, from the end of this transaction on (WEB-11). Tokens of other clients stay valid
 * (TOKEN-7). Repeating it changes nothing.
 */
export async function endWebSession(tx: Executor, userId: number, id: string): Promise<void> {
  await query(
    tx,
    sql`insert into ended_web_session (id_hash, user_id) values (${webSessionHash(id)}, ${userId})
        on conflict do nothing`,
  );
}
