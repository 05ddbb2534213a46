import type { Executor } from '@case-platform/lib/database';
import { ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { displayName, type User } from '@case-platform/modules/accounts';
import { announce, chainIsVisible, type WritingKind } from '@case-platform/modules/messaging';

/**
 * Tells the other admins who have this chain open that somebody is writing in it, so that two do not answer at once. Kept
 * nowhere: it is said again while it goes on, and nobody but staff is told.
 * @throws {ForbiddenError} for a non-admin. @throws {NotFoundError} for a chain that this admin does not see.
 */
export async function sayWriting(db: Executor, admin: User, chainId: number, writing: WritingKind): Promise<void> {
  if (admin.user_type !== 'admin') throw new ForbiddenError();
  const seen = await query(db, sql`select from message_chain c where c.id = ${chainId} and ${chainIsVisible(admin)}`);
  if (seen.length === 0) throw new NotFoundError();
  await announce(db, { kind: 'writing', chain_id: chainId, user_id: admin.id, name: displayName(admin), writing });
}
