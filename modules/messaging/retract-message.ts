import { recordAudit } from '@case-platform/lib/audit';
import type { Database } from '@case-platform/lib/database';
import { SEARCH_VERSION } from '@case-platform/lib/database/search-vector';
import { ConflictError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { removeAttachedFiles } from '@case-platform/modules/storage';
import { chainIsVisible } from './chain-access.ts';
import { announce } from './chain-events.ts';

/** After a day a message can no longer be retracted, so that what people agreed on stays. */
const RETRACTABLE_HOURS = 24;

/**
 * Retracts one's own message. What remains says who wrote it and when. Its text and files are deleted for good: a job removes
 * the objects at once, so that signed URLs that were given out stop working. It no longer counts as unread, and notices that
 * have not gone out stay unsent. Retracting it again changes nothing.
 * @throws {NotFoundError} for a message that is not the user's own, or whose chain they no longer see.
 * @throws {ConflictError} when it is more than 24 hours old.
 */
export async function retractMessage(
  db: Database,
  { chain_id, message_id }: { chain_id: number; message_id: number },
  by: ChangedByUser,
): Promise<void> {
  const user = by.actor;
  await db.transaction(async (tx) => {
    const [message] = await query<{ retracted_at: Date | null; late: boolean; case_id: number | null; subject: string }>(
      tx,
      sql`select m.retracted_at, m.created_at < now() - make_interval(hours => ${RETRACTABLE_HOURS}) as late, c.case_id, c.subject
         from message m join message_chain c on c.id = m.chain_id
        where m.id = ${message_id} and m.chain_id = ${chain_id} and m.from_id = ${user.id} and ${chainIsVisible(user)}
          for update of m`,
    );
    if (message === undefined) throw new NotFoundError();
    if (message.retracted_at !== null) return;
    if (message.late) throw new ConflictError('A message can be taken back within 24 hours.', 'too_late');
    const files = await removeAttachedFiles(
      tx,
      sql`delete from message_file where message_id = ${message_id} returning storage_key`,
    );
    await query(
      tx,
      sql`update message set retracted_at = now(), message = '', search = '', search_version = ${SEARCH_VERSION},
                 admin_viewed = case when to_admin then coalesce(admin_viewed, now()) end
           where id = ${message_id}`,
    );
    await query(tx, sql`update message_recipient set viewed = now() where message_id = ${message_id} and viewed is null`);
    await recordAudit(tx, {
      ...by,
      action: 'message.retract',
      subject_id: message_id,
      subject_label: message.subject,
      case_id: message.case_id,
      after: { files_removed: files.length },
    });
    await announce(tx, { kind: 'chain', chain_id });
  });
}
