import { createHash } from 'node:crypto';
import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';

/** What is kept of the name of a sign-in of the web frontend: enough to know it again. */
export function webSessionHash(id: string): Buffer {
  return createHash('sha256').update(id).digest();
}

/**
 * Ends one sign-in of the web frontend (WEB-11): from this transaction's end on, calls that name it are
 * refused. Tokens of other clients stay valid (TOKEN-7). Repeating it changes nothing.
 */
export async function endWebSession(tx: Executor, userId: number, id: string): Promise<void> {
  await query(
    tx,
    sql`insert into ended_web_session (id_hash, user_id) values (${webSessionHash(id)}, ${userId})
        on conflict do nothing`,
  );
}
