import { type Origin, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor } from '@case-platform/lib/database';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHolds } from '@case-platform/modules/permissions';
import { announce } from './live/chain-events.ts';

const WORKER: Origin = { layer: 'worker' };
const STEP = 100;

/** Whether an admin `u` may own conversations: their account is open, and their role reads messages. */
const mayOwn = (u: Sql): Sql => sql`(${u}.status = 'active' and ${adminHolds(sql`${u}.id`, 'view_messages')})`;

/** The Escrow Specialist to whom a case's new chain goes; null for one who is away, or may not read it. */
export async function findOwner(db: Executor, specialistId: number | null): Promise<number | null> {
  const [found] = await query<{ id: number }>(
    db,
    sql`select u.id from user_account u where u.id = ${specialistId} and ${mayOwn(sql`u`)}`,
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
 * Hands on the chains of those who can no longer read them, as their account is closed or their role is another one: to the Escrow
 * Specialist of the chain's case, else to the queue, so that nothing is lost from sight (decisions, section 6). Also by the
 * clock: a chain may be given to somebody in the moment in which they go.
 */
export async function handOnChains({ db }: { db: Database }): Promise<void> {
  while ((await handOnSome(db)) === STEP);
}

/** @returns how many. */
function handOnSome(db: Database): Promise<number> {
  return db.transaction(async (tx) => {
    const stranded = await query<Stranded>(
      tx,
      sql`select c.id, c.subject, c.case_id, c.assigned_admin_id,
                 (select s.id from case_file f join user_account s on s.id = f.escrow_specialist_id
                   where f.id = c.case_id and ${mayOwn(sql`s`)}) as next_id
            from message_chain c
           where c.assigned_admin_id = any(array(
             select u.id from user_account u where u.user_type = 'admin' and not ${mayOwn(sql`u`)}))
           order by c.id limit ${STEP} for no key update of c`,
    );
    for (const { id, subject, case_id, assigned_admin_id, next_id } of stranded) {
      await query(tx, sql`update message_chain set assigned_admin_id = ${next_id} where id = ${id}`);
      await recordAudit(tx, {
        actor: null,
        origin: WORKER,
        action: 'chain.assign',
        subject_id: id,
        subject_label: subject,
        case_id,
        before: { assigned_admin_id },
        after: { assigned_admin_id: next_id },
      });
      await announce(tx, { kind: 'chain', chain_id: id, no_longer: [assigned_admin_id] });
    }
    return stranded.length;
  });
}
