import { type ChangedBy, type Origin, recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { limitTo, query, type Sql, sql } from '@case-platform/lib/sql';
import { hasLostStartedChain } from './chain-access.ts';
import { announce } from './chain-events.ts';
import { canAnswer, UNABLE_ADMINS } from './chain-owner.ts';

const WORKER: Origin = { layer: 'worker' };
const STEP = 100;

interface Stranded {
  id: number;
  subject: string;
  case_id: number | null;
  assigned_admin_id: number;
  next_id: number | null;
}

/**
 * Reassigns the chains of admins who can no longer read them, because their account was closed, their role changed, or they no
 * longer see the case of a chain that they started: to the Escrow Specialist of the chain's case, otherwise to the queue, so
 * that nothing is lost from sight (CHAIN-7). The case's Escrow Specialist keeps its chains: their pages say that the owner cannot
 * answer (CHAIN-6). It also runs regularly, because a chain may be assigned to an admin at the moment they lose access.
 */
export async function reassignChains({ db }: { db: Database }): Promise<void> {
  const stranded = sql`c.id in (
    select c.id from message_chain c left join case_file f on f.id = c.case_id
     where c.assigned_admin_id in ${UNABLE_ADMINS} and c.assigned_admin_id is distinct from f.escrow_specialist_id
    union all
    select c.id from message_chain c where ${IS_LOST})`;
  while ((await db.transaction((tx) => reassignSomeChains(tx, stranded, { actor: null, origin: WORKER }))) === STEP);
}

/** Assigned to the admin who started it and no longer sees its case. Written so that `message_chain_started_idx` is used. */
const IS_LOST = sql`c.assigned_admin_id = c.created_by and ${hasLostStartedChain(sql`c.assigned_admin_id`)}`;

/**
 * Reassigns the chains of a case that are assigned to an admin who started them and no longer sees the case, in the transaction
 * in which they leave it. Other chains keep the admin they are assigned to.
 */
export async function reassignStartedChains(tx: Transaction, caseId: number, by: ChangedBy): Promise<void> {
  while ((await reassignSomeChains(tx, sql`c.case_id = ${caseId} and ${IS_LOST}`, by)) === STEP);
}

/** @param stranded a condition on `message_chain c`. @returns the number of reassigned chains. */
async function reassignSomeChains(tx: Transaction, stranded: Sql, by: ChangedBy): Promise<number> {
  const chains = await query<Stranded>(
    tx,
    sql`select c.id, c.subject, c.case_id, c.assigned_admin_id,
               (select s.id from case_file f join user_account s on s.id = f.escrow_specialist_id
                 where f.id = c.case_id and ${canAnswer(sql`s`)}) as next_id
          from message_chain c where ${stranded} order by c.id ${limitTo(STEP)} for no key update of c`,
  );
  for (const { id, subject, case_id, assigned_admin_id, next_id } of chains) {
    await query(tx, sql`update message_chain set assigned_admin_id = ${next_id} where id = ${id}`);
    await recordAudit(tx, {
      ...by,
      action: 'chain.assign',
      subject_id: id,
      subject_label: subject,
      case_id,
      before: { assigned_admin_id },
      after: { assigned_admin_id: next_id },
    });
    await announce(tx, { kind: 'chain', chain_id: id, no_longer: [assigned_admin_id] });
  }
  return chains.length;
}
