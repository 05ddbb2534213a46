import { recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor } from '@case-platform/lib/database';
import { ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { caseIsVisibleToUser, casesOfUser } from '@case-platform/modules/cases';
import { chainIsVisible } from './chain-access.ts';
import { announce } from './chain-events.ts';

/**
 * Removes someone who leaves a case from all of its chains, and from chains without a case that include people of it with whom
 * they share no other case. It runs in the transaction in which they leave: they lose access and their unread messages at once.
 * Their messages stay.
 * @returns the number of chains they left.
 */
export async function leaveChainsOfCase(tx: Executor, caseId: number, userId: number): Promise<number> {
  const ofCase = sql`
    select g.chain_id, g.user_id from message_chain_group g join message_chain c on c.id = g.chain_id
     where c.case_id = ${caseId} and g.user_id = ${userId} and g.left_at is null`;
  const withoutCase = partsWithoutCase(sql`u.id = ${userId}`, seesCase(caseId));
  return (await endParts(tx, ofCase)) + (await endParts(tx, withoutCase));
}

/**
 * Removes an agency's people from chains of cases that belong to another agency, and from chains without a case that include
 * people with whom they no longer share a case. It runs in the transaction in which a person or a case moves to another agency.
 * It is needed because agency owners are in chains of cases that they are not on.
 */
export async function leaveChainsOfOtherAgencies(
  tx: Executor,
  change: { user_id: number } | { case_id: number; former_agency_id: number | null },
): Promise<void> {
  const byPerson = 'user_id' in change;
  const ofCases = sql`
    select g.chain_id, g.user_id from message_chain_group g join message_chain c on c.id = g.chain_id
      join case_file f on f.id = c.case_id join user_account u on u.id = g.user_id
     where ${byPerson ? sql`g.user_id = ${change.user_id}` : sql`c.case_id = ${change.case_id}`} and g.left_at is null
       and u.user_type in ('cm', 'owner') and u.agency_id is distinct from f.agency_id`;
  const withoutCase = byPerson
    ? partsWithoutCase(sql`u.id = ${change.user_id}`, sql`true`)
    : partsWithoutCase(sql`u.agency_id = ${change.former_agency_id}`, seesCase(change.case_id));
  await endParts(tx, ofCases);
  await endParts(tx, withoutCase);
}

const seesCase = (caseId: number): Sql =>
  sql`exists (select from case_file f where f.id = ${caseId} and ${caseIsVisibleToUser(sql`other`, sql`f`)})`;

/**
 * Memberships in chains without a case that include someone with whom the member shares no case. People who may not start a
 * conversation with each other may not continue one either.
 * @param who a condition on `user_account u`, the member. @param to a condition on `user_account other`.
 */
const partsWithoutCase = (who: Sql, to: Sql): Sql => sql`
  select g.chain_id, g.user_id from message_chain_group g join message_chain c on c.id = g.chain_id
    join user_account u on u.id = g.user_id
   where c.case_id is null and g.left_at is null and ${who}
     and exists (
       select from message_chain_group theirs join user_account other on other.id = theirs.user_id
        where theirs.chain_id = c.id and theirs.left_at is null and other.id <> u.id and ${to}
          and not exists (
            select from (${casesOfUser(sql`u`)}) mine join case_file f on f.id = mine.case_id
             where ${caseIsVisibleToUser(sql`other`, sql`f`)}))`;

/** Ends memberships, and locks them in one order to avoid deadlocks. @param parts a condition on `message_chain_group g`. */
async function endParts(tx: Executor, parts: Sql): Promise<number> {
  const memberships = await query<{ chain_id: number; user_id: number }>(
    tx,
    sql`with gone as (${parts} order by g.chain_id, g.user_id for no key update of g)
        update message_chain_group g set left_at = now() from gone
         where g.chain_id = gone.chain_id and g.user_id = gone.user_id returning g.chain_id, g.user_id`,
  );
  for (const { chain_id, user_id } of memberships) await announce(tx, { kind: 'chain', chain_id, no_longer: [user_id] });
  return memberships.length;
}

/**
 * Removes someone from a group or a direct chain. Only for staff who see the chain; the guard of the route requires
 * `send_group_messages` or `reassign_threads`.
 * @throws {ForbiddenError} for a non-admin. @throws {NotFoundError} for a chain that they do not see, or someone not in it.
 */
export async function removeFromChain(
  db: Database,
  { chain_id, user_id }: { chain_id: number; user_id: number },
  by: ChangedByUser,
): Promise<void> {
  const admin = by.actor;
  if (admin.user_type !== 'admin') throw new ForbiddenError();
  await db.transaction(async (tx) => {
    // Locks the case before its chains, as everywhere, so that two removals from one case run one after the other.
    await query(
      tx,
      sql`select from case_file where id = (select case_id from message_chain where id = ${chain_id}) for key share`,
    );
    const [chain] = await query<{ subject: string; case_id: number | null }>(
      tx,
      sql`select c.subject, c.case_id from message_chain c
           where c.id = ${chain_id} and ${chainIsVisible(admin)} for update of c`,
    );
    const memberships = await query(
      tx,
      sql`update message_chain_group set left_at = now() where chain_id = ${chain_id} and user_id = ${user_id}
             and left_at is null returning user_id`,
    );
    if (chain === undefined || memberships.length === 0) throw new NotFoundError();
    await recordAudit(tx, {
      ...by,
      action: 'chain.remove_member',
      subject_id: chain_id,
      subject_label: chain.subject,
      case_id: chain.case_id,
      before: { user_id },
    });
    await announce(tx, { kind: 'chain', chain_id, no_longer: [user_id] });
  });
}
