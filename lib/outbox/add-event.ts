import { type Executor, query, sql } from '../sql.ts';

/**
 * Announces an event to all processes, a moment after the caller's transaction has committed. Until then the outbox has it:
 * NOTIFY would lock the whole database during the commit (SCALE-2).
 * @throws {Error} for an event of more than 7,000 bytes.
 */
export async function addEvent(tx: Executor, event: object): Promise<void> {
  await query(tx, sql`insert into outbox (event) values (${JSON.stringify(event)}::jsonb)`);
}
