import { allOf, anyOf, limitTo, type Sql, sql, unionOf } from '@case-platform/lib/sql';
import { adminHasPermission } from '@case-platform/modules/accounts';
import { caseIsVisibleToAdmin, ownCases } from '@case-platform/modules/cases';
import type { UserType } from '@case-platform/words/user-types';
import { UNABLE_ADMINS } from './chain-owner.ts';

/** A possible reader of a chain: one person by value, or each row of a statement by an expression. */
export interface ChainReader {
  id: number | Sql;
  user_type: UserType;
}

/**
 * These conditions on `message_chain c` say who sees a chain. Access is part of every query that reads chains, messages, or
 * files; results are never filtered afterwards.
 */

/** CHAIN-1: conversations that they created or received and have not left. A row of `message_chain_group`. */
const isMember = (group: Sql, { id }: ChainReader): Sql => sql`${group}.user_id = ${id} and ${group}.left_at is null`;

/** The admin's cases: those with this admin on the team or as Escrow Specialist. */
const casesOfAdmin = ({ id }: ChainReader): Sql => ownCases({ id, user_type: 'admin', agency_id: null });

/**
 * CHAIN-2: conversations assigned to an admin or linked to their cases (the linked ones are below, because lists begin
 * with the cases). A chain that the admin started is visible only while its case is (CHAIN-3): either as one of their cases
 * or through `view_all_cases`. With `reassign_threads`, chains that no one owns are visible too, and those whose owner cannot
 * answer, so that none is lost from sight (CHAIN-5, CHAIN-6).
 */
const adminReasons = ({ id }: ChainReader): Sql[] => [
  sql`c.assigned_admin_id = ${id} and c.created_by <> ${id}`,
  sql`c.created_by = ${id} and (c.case_id is null or ${adminHasPermission(id, 'view_all_cases')})`,
  sql`c.assigned_admin_id is null and ${adminHasPermission(id, 'reassign_threads')}`,
];

/** Whether an admin started the chain `c` and no longer sees its case. @param admin an expression of the admin's id. */
export function hasLostStartedChain(admin: Sql): Sql {
  return sql`c.created_by = ${admin} and c.case_id is not null
    and not exists (select from case_file f where f.id = c.case_id and ${caseIsVisibleToAdmin(admin, sql`f`)})`;
}

/** The condition that this reader sees the chain `c`. */
export function chainIsVisible(reader: ChainReader): Sql {
  if (reader.user_type === 'admin')
    return anyOf([
      ...adminReasons(reader).map((reason) => sql`(${reason})`),
      sql`(c.assigned_admin_id in ${UNABLE_ADMINS} and ${adminHasPermission(reader.id, 'reassign_threads')})`,
      sql`c.case_id in (${casesOfAdmin(reader)})`,
    ]);
  const member = sql`membership`;
  return sql`exists (
    select from message_chain_group ${member} where ${member}.chain_id = c.id and ${isMember(member, reader)})`;
}

interface Narrowed {
  /** On `message_chain c`. */
  conditions?: readonly Sql[];
  /** At most this many chains, those with the newest activity, so that each branch stops early. */
  newest?: number | undefined;
}

/**
 * The same chains as a set of `(id, last_message_id)`, for statements about many chains. Each reason for access is a branch of
 * its own, because PostgreSQL would check every chain for conditions combined with `or`.
 */
export function visibleChains(reader: ChainReader, { conditions = [], newest }: Narrowed = {}): Sql {
  const order = (row: Sql) => (newest === undefined ? sql`` : sql`order by ${row}.last_message_id desc ${limitTo(newest)}`);
  if (reader.user_type !== 'admin') {
    // Reads this person's chains from an index that lists the newest activity first.
    return sql`(select c.id, c.last_message_id from message_chain_group g join message_chain c on c.id = g.chain_id
      where ${allOf([isMember(sql`g`, reader), ...conditions])} ${order(sql`g`)})`;
  }
  const branches = adminReasons(reader).map(
    (reason) =>
      sql`(select c.id, c.last_message_id from message_chain c where ${allOf([reason, ...conditions])} ${order(sql`c`)})`,
  );
  return unionOf([...branches, chainsOfUnable(reader, { conditions, newest }), chainsOfCases(reader, { conditions, newest })]);
}

/** Reads the chains of admins who cannot answer, one admin after the other, from the index of an owner's chains. */
function chainsOfUnable({ id }: ChainReader, { conditions = [], newest }: Narrowed): Sql {
  const order = newest === undefined ? sql`offset 0` : sql`order by c.last_message_id desc ${limitTo(newest)}`;
  const unable = sql`select unable_admins() as id where ${adminHasPermission(id, 'reassign_threads')}`;
  const ofOwner = sql`select c.id, c.last_message_id from message_chain c
    where ${allOf([sql`c.assigned_admin_id = u.id`, ...conditions])} ${order}`;
  return sql`(select c.id, c.last_message_id from (${unable}) u cross join lateral (${ofOwner}) c)`;
}

/**
 * Reads the chains case by case from the index of a case's chains. Without `offset 0`, PostgreSQL may hash all chains instead.
 * With a limit of n, only the n cases with the newest activity can contain one of the n newest chains.
 */
function chainsOfCases(reader: ChainReader, { conditions = [], newest }: Narrowed): Sql {
  const own = casesOfAdmin(reader);
  const ofCase = sql`select c.id, c.last_message_id from message_chain c
    where ${allOf([sql`c.case_id = k.case_id`, ...conditions])}`;
  if (newest === undefined)
    return sql`(select c.id, c.last_message_id from (${own}) k cross join lateral (${ofCase} offset 0) c)`;
  const newestFirst = sql`order by c.last_message_id desc`;
  const order = sql`${newestFirst} ${limitTo(newest)}`;
  const cases = sql`select k.case_id from (${own}) k cross join lateral (${ofCase} ${newestFirst} limit 1) c ${order}`;
  return sql`(select c.id, c.last_message_id from (${cases}) k cross join lateral (${ofCase} ${order}) c ${order})`;
}

/** Messages of chain `c` that this reader has not viewed, as a condition on `message m`. */
export function messageIsUnread({ id, user_type }: ChainReader): Sql {
  return user_type === 'admin'
    ? sql`m.to_admin and m.admin_viewed is null`
    : sql`exists (select from message_recipient r where r.message_id = m.id and r.user_id = ${id} and r.viewed is null)`;
}

/** Unread messages of a reader who is not staff, in the chains that they see, as joined rows of `message_recipient r`. */
export function unreadOfMember(reader: ChainReader): Sql {
  return sql`message_recipient r join message_chain_group g on g.chain_id = r.chain_id and ${isMember(sql`g`, reader)}
      where r.user_id = ${reader.id} and r.viewed is null`;
}
