import type { Executor } from '@case-platform/lib/database';
import { ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import { displayName, type User } from '@case-platform/modules/accounts';
import { announce, chainIsVisible, type WritingKind } from '@case-platform/modules/messaging';

/**
 * Shows other admins who have this conversation open that someone is writing in it, so that two do not reply at once. Nothing is
 * stored, so it must be repeated while the writing continues.
 * @throws {ForbiddenError} for anyone except an admin. @throws {NotFoundError} for a conversation that this admin does not see.
 */
export async function announceWriting(db: Executor, admin: User, chainId: number, writing: WritingKind): Promise<void> {
  if (admin.user_type !== 'admin') throw new ForbiddenError();
  const chains = await query(db, sql`select from message_chain c where c.id = ${chainId} and ${chainIsVisible(admin)}`);
  if (chains.length === 0) throw new NotFoundError();
  await announce(db, { kind: 'writing', chain_id: chainId, user_id: admin.id, name: displayName(admin), writing });
}
