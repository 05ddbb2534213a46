import type { Executor } from '@case-platform/lib/database';
import { ForbiddenError, invalid, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { findPermissions } from '@case-platform/modules/accounts';
import { type CaseSummary, caseIsVisible, findCase, listCasePeople, listSharedCases } from '@case-platform/modules/cases';
import { RECIPIENTS_MAX } from '@case-platform/words/limits';
import type { UserType } from '@case-platform/words/user-types';
import type { ChainMember } from './route-message.ts';

/** The members and the owner of a new chain. */
export interface ChainPlan {
  case_id: number | null;
  /** The named case, or up to two cases that a sender who is not staff shares with all recipients. */
  shared_case_ids: number[];
  assigned_admin_id: number | null;
  is_group: boolean;
  /** Everyone who is not staff, including the sender. */
  members: ChainMember[];
}

interface Recipient {
  user_type: UserType;
  user_id: number;
}

interface Request {
  case_id?: number | undefined;
  recipients?: Recipient[] | undefined;
}

/**
 * Decides who is in a new chain and who owns it, before anything is written (CHAIN-4 to CHAIN-6): the case's Escrow Specialist,
 * also if they cannot answer it; for a case without one, the admin who started it; otherwise no one, and it waits in the queue.
 */
export async function planChain(db: Executor, sender: User, { case_id, recipients = [] }: Request): Promise<ChainPlan> {
  if (recipients.length > RECIPIENTS_MAX) throw invalid('recipients', `A conversation can have up to ${RECIPIENTS_MAX} people.`);
  if (recipients.some(({ user_id }) => user_id === sender.id)) {
    throw invalid('recipients', 'You can’t write to yourself.');
  }
  const staff = sender.user_type === 'admin';
  const namedCase = case_id === undefined ? null : await getNamedCase(db, sender, case_id);
  const others = await findPeople(db, staff ? recipients : withoutStaff(recipients, namedCase));
  const cases = await findCommonCases(db, sender, others, namedCase);
  const onlyCase = cases.length === 1 ? cases[0] : undefined;
  const self = staff ? [] : [{ user_id: sender.id, user_type: sender.user_type }];
  return {
    case_id: onlyCase?.id ?? null,
    shared_case_ids: cases.map(({ id }) => id),
    assigned_admin_id: onlyCase?.escrow_specialist_id ?? (staff ? sender.id : null),
    is_group: others.length > 1,
    members: [...self, ...others],
  };
}

async function getNamedCase(db: Executor, sender: User, caseId: number): Promise<CaseSummary> {
  const summary = await findCase(db, sender, caseId);
  if (summary === null) throw new NotFoundError('This case doesn’t exist, or you don’t have access to it.');
  return summary;
}

/** Removes the case's Escrow Specialist from the recipients of a non-admin, because they receive every message anyway. */
function withoutStaff(recipients: Recipient[], namedCase: CaseSummary | null): Recipient[] {
  const specialist = namedCase?.escrow_specialist_id;
  return recipients.filter(({ user_type, user_id }) => user_type !== 'admin' || user_id !== specialist);
}

/** Gets the recipients. Each must exist, be active, not be staff, and be named with its own user type. */
async function findPeople(db: Executor, recipients: Recipient[]): Promise<ChainMember[]> {
  const typeById = new Map(recipients.map((recipient) => [recipient.user_id, recipient.user_type]));
  if (typeById.size === 0) return [];
  const people = await query<ChainMember>(
    db,
    sql`select id as user_id, user_type from user_account
         where id = any(${[...typeById.keys()]}::bigint[]) and status = 'active' and user_type <> 'admin' order by id`,
  );
  const right = people.filter((person) => typeById.get(person.user_id) === person.user_type);
  if (right.length !== typeById.size) throw unknownRecipient();
  return right;
}

/**
 * Finds the named case, or up to two cases that a non-admin shares with all recipients. If there is only one, the chain is
 * linked to it, so that a message without recipients reaches the Escrow Specialist of a sender with one case.
 */
async function findCommonCases(
  db: Executor,
  sender: User,
  others: ChainMember[],
  namedCase: CaseSummary | null,
): Promise<CaseSummary[]> {
  const ids = others.map((person) => person.user_id);
  if (sender.user_type === 'admin') await requireStaffRecipients(db, sender, ids, namedCase);
  else if (namedCase !== null) await requireRecipientsOnCase(db, namedCase, ids);
  if (namedCase !== null) return [namedCase];
  if (sender.user_type === 'admin') return [];
  const cases = await listSharedCases(db, sender, ids, 2);
  if (cases.length === 0 && ids.length > 0) throw unknownRecipient();
  return cases;
}

async function requireStaffRecipients(db: Executor, sender: User, ids: number[], namedCase: CaseSummary | null) {
  if (ids.length === 0) throw invalid('recipients', 'Choose who should receive this message.');
  await requireGroupPermission(db, sender, ids.length);
  if (namedCase !== null) await requireRecipientsOnCase(db, namedCase, ids);
  else await requireVisibleRecipients(db, sender, ids);
}

/**
 * Staff need `send_group_messages` to write to more than one person, in a new chain or a reply (CHAIN-10, CHAIN-11).
 * @param recipientCount how many people who are not staff receive the message.
 */
export async function requireGroupPermission(db: Executor, { id, user_type }: User, recipientCount: number): Promise<void> {
  if (user_type !== 'admin' || recipientCount <= 1) return;
  if ((await findPermissions(db, id)).has('send_group_messages')) return;
  throw new ForbiddenError('Your role can only write to one person at a time.', 'missing_permission');
}

/** Without a case, staff may write to the people of all cases that they see. */
async function requireVisibleRecipients(db: Executor, sender: User, ids: number[]): Promise<void> {
  const inSight = await query(
    db,
    sql`select u.id from user_account u where u.id = any(${ids}::bigint[]) and (
          exists (select from case_participant p join case_file c on c.id = p.case_id
                   where p.user_id = u.id and p.left_at is null and ${caseIsVisible(sender)})
          or u.user_type = 'owner' and exists (
            select from case_file c where c.agency_id = u.agency_id and ${caseIsVisible(sender)}))`,
  );
  if (inSight.length !== ids.length) throw unknownRecipient();
}

async function requireRecipientsOnCase(db: Executor, namedCase: CaseSummary, ids: number[]): Promise<void> {
  const people = new Set((await listCasePeople(db, namedCase.id)).map((person) => person.user_id));
  if (!ids.every((id) => people.has(id))) throw unknownRecipient();
}

function unknownRecipient(): NotFoundError {
  return new NotFoundError('You can’t write to one of these people.');
}
