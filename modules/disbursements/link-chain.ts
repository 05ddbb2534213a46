import { recordAudit } from '@case-platform/lib/audit';
import { ConflictError, ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { findChain } from '@case-platform/modules/messaging';
import type { DisbursementContext } from './create-disbursement.ts';
import { describeDisbursement } from './describe-disbursement.ts';
import { REQUEST_READERS } from './disbursement-access.ts';
import { lockDisbursement, type Standing } from './lock-disbursement.ts';

/**
 * Links the conversation in which a request is discussed. The link is permanent (REQUEST-13).
 * @throws {NotFoundError} for a request or conversation that the user does not see, or a conversation of another case.
 * @throws {ForbiddenError} for staff who do not see the request's case, or whose role does not read requests.
 * @throws {ConflictError} `chain_linked` if the request has another conversation.
 */
export async function linkChain(
  { db }: Pick<DisbursementContext, 'db'>,
  { id, chainId }: { id: number; chainId: number },
  by: ChangedByUser,
): Promise<void> {
  await db.transaction(async (tx) => {
    const request = await lockDisbursement(tx, by.actor, id);
    requireRequestReader(request, by.actor);
    const chain = await findChain(tx, by.actor, chainId);
    if (chain === null || chain.case_id !== request.case_id) throw new NotFoundError();
    const [now] = await query<{ chain_id: number; is_new: boolean }>(
      tx,
      sql`with linked as (update disbursement_request set chain_id = ${chainId}, updated_at = now()
                           where id = ${id} and chain_id is null returning chain_id)
          select coalesce(l.chain_id, d.chain_id) as chain_id, l.chain_id is not null as is_new
            from disbursement_request d left join linked l on true where d.id = ${id}`,
    );
    if (now?.chain_id !== chainId) throw new ConflictError('This request already has a conversation.', 'chain_linked');
    if (!now.is_new) return;
    await recordAudit(tx, {
      ...by,
      action: 'disbursement.link_chain',
      subject_id: id,
      subject_label: describeDisbursement(request),
      case_id: request.case_id,
      after: { chain_id: chainId },
    });
  });
}

function requireRequestReader({ sees_case, permissions }: Standing, { user_type }: ChangedByUser['actor']): void {
  if (user_type !== 'admin') return;
  const reads = REQUEST_READERS.some((permission) => permissions.has(permission));
  if (!reads || !sees_case) throw new ForbiddenError('Your role doesn’t allow this.', 'missing_permission');
}
