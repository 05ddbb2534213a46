import { type ChangedBy, type Origin, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission } from '@case-platform/modules/accounts';
import { hasLostStartedChain } from './chain-access.ts';
import { announce } from './chain-events.ts';

const WORKER: Origin = { layer: 'worker' };
const STEP = 100;

/** Whether an admin `u` may own conversations: their account is open, and their role reads messages. */
const canOwnChains = (u: Sql): Sql => sql`(${u}.status = 'active' and ${adminHasPermission(sql`${u}.id`, 'view_messages')})`;

/** The Escrow Specialist who owns a case's new chain; null if they are inactive, or may not read it. */
export async function findOwner(db: Executor, specialistId: number | null): Promise<number | null> {
  const [found] = await query<{ id: number }>(
    db,
    sql`select u.id from user_account u where u.id = ${specialistId} and ${canOwnChains(sql`u`)}`,
  );
  return found?.id ?? null;
}

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
 * that nothing is lost from sight (CHAIN-7). It also runs regularly, because a chain may be assigned to an
 * admin at the moment they lose access.
 */
export async function reassignChains({ db }: { db: Database }): Promise<void> {
  const stranded = sql`c.id in (
    select id from message_chain where assigned_admin_id = any(array(
      select u.id from user_account u where u.user_type = 'admin' and not ${canOwnChains(sql`u`)}))
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
                 where f.id = c.case_id and ${canOwnChains(sql`s`)}) as next_id
          from message_chain c where ${stranded} order by c.id limit ${STEP} for no key update of c`,
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
