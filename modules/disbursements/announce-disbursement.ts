import type { Database, Transaction } from '@case-platform/lib/database';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { canBeSecondPerson, fullName, type User } from '@case-platform/modules/accounts';
import { caseIsVisibleToUser, staffMayDecide } from '@case-platform/modules/cases';
import { HAS_OTHER_ACCOUNT } from './bank-return.ts';
import { MAKERS } from './disbursement-access.ts';
import type { DisbursementEvent, DisbursementStatus } from './disbursement-states.ts';

export interface DisbursementNews {
  disbursement_id: number;
  event: DisbursementEvent;
  /** The time of the step, ISO 8601, because a request can be submitted more than once and is announced each time. */
  at: string;
}

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Mails about a request (EMAIL-4, EMAIL-5, EMAIL-6) and its payment (PAYMENT-1). */
    mail_disbursement: DisbursementNews;
    /** Pushes to the same people. */
    push_disbursement: DisbursementNews;
  }
}

/**
 * Announces a step in its transaction. Mail and push are independent of each other (LAYER-6).
 * @param more.runAt when it is announced, for a step that can be undone until then.
 */
export async function announceDisbursement(
  tx: Transaction,
  { id }: { id: number },
  event: DisbursementEvent,
  at: Date,
  { runAt }: { runAt?: Date | undefined } = {},
): Promise<void> {
  const news = { disbursement_id: id, event, at: at.toISOString() };
  const options = runAt === undefined ? {} : { runAt };
  await enqueue(tx, 'mail_disbursement', news, options);
  await enqueue(tx, 'push_disbursement', news, options);
}

export interface AnnouncedDisbursement {
  id: number;
  status: DisbursementStatus;
  decided_at: Date | null;
  case_id: number;
  case_name: string;
  amount_cents: number;
  category: string;
  decision_reason: string | null;
  payee_id: number;
  payee_name: string;
  maker_id: number;
  maker_name: string;
  approver_id: number | null;
  escrow_specialist_id: number | null;
  /** The day on which the money is at the payee's bank, `YYYY-MM-DD`. */
  bank_date: string | null;
  return_code: string | null;
  end_reason: string | null;
  has_other_account: boolean;
}

/**
 * Finds the request of an announcement; null if the announcement is no longer true, for example because the request was
 * cancelled.
 */
export async function findAnnounced(db: Database, news: DisbursementNews): Promise<AnnouncedDisbursement | null> {
  const [request] = await query<AnnouncedDisbursement>(
    db,
    sql`select d.id, d.status, d.decided_at, d.case_id, c.name as case_name, d.amount_cents, d.category, d.decision_reason,
               d.payee_id, ${fullName(sql`payee`)} as payee_name, maker.id as maker_id, ${fullName(sql`maker`)} as maker_name,
               d.approver_id, c.escrow_specialist_id, d.bank_date::text as bank_date, d.return_code, d.end_reason,
               d.status = 'returned' and ${HAS_OTHER_ACCOUNT} as has_other_account
          from disbursement_request d join case_file c on c.id = d.case_id
          join user_account payee on payee.id = d.payee_id
          join user_account maker on maker.id = coalesce(d.submitted_by, d.created_by)
         where d.id = ${news.disbursement_id}`,
  );
  if (request === undefined) return null;
  return isOvertaken(news.event, request.status) || isUndone(news, request) ? null : request;
}

function isOvertaken(event: DisbursementEvent, status: DisbursementStatus): boolean {
  switch (event) {
    case 'on_its_way':
      return status !== 'batched' && status !== 'paid';
    case 'paid':
      return status !== 'paid';
    case 'returned':
      return status !== 'returned';
    case 'ended':
      return status !== 'ended';
    default:
      return status === 'draft' || status === 'cancelled';
  }
}

/** A later approval has its own announcement. The two times of one approval may differ by some milliseconds. */
function isUndone({ event, at }: DisbursementNews, { status, decided_at }: AnnouncedDisbursement): boolean {
  if (event !== 'approved') return false;
  return status === 'submitted' || decided_at === null || decided_at.getTime() - new Date(at).getTime() > 1000;
}

export type Recipient = Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'>;
const RECIPIENT = sql`u.id, u.user_type, u.email_address, u.first_name`;

/** See EMAIL-4, EMAIL-5, EMAIL-6, and PAYMENT-1. */
export function listRecipients(db: Database, about: AnnouncedDisbursement, event: DisbursementEvent): Promise<Recipient[]> {
  switch (event) {
    case 'submitted':
      return about.approver_id === null ? listStaffApprovers(db, about) : listOne(db, about.approver_id);
    case 'approved':
      return query<Recipient>(
        db,
        sql`select ${RECIPIENT} from case_participant p join user_account u on u.id = p.user_id
             where p.case_id = ${about.case_id} and p.left_at is null and u.status = 'active'
               and u.user_type in ('surrogate', 'ip')
             order by u.id`,
      );
    case 'denied':
      return listMakerAnd(db, about, about.escrow_specialist_id);
    case 'on_its_way':
    case 'paid':
    case 'returned':
      return listMakerAnd(db, about, about.payee_id);
    case 'ended':
      return listPeopleOfEnded(db, about);
  }
}

/** The maker, as long as they see the case, and the other person in any case. */
function listMakerAnd(db: Database, about: AnnouncedDisbursement, otherId: number | null): Promise<Recipient[]> {
  return query<Recipient>(
    db,
    sql`select ${RECIPIENT} from user_account u join case_file c on c.id = ${about.case_id}
         where u.status = 'active'
           and (u.id = ${otherId} or u.id = ${about.maker_id} and ${caseIsVisibleToUser(sql`u`)})
         order by u.id`,
  );
}

/** The payee, and the parents, the maker, and the approver as long as they see the case (WHERE-5). */
function listPeopleOfEnded(db: Database, about: AnnouncedDisbursement): Promise<Recipient[]> {
  return query<Recipient>(
    db,
    sql`select ${RECIPIENT} from user_account u join case_file c on c.id = ${about.case_id}
         where u.status = 'active'
           and (u.id = ${about.payee_id}
                or (u.user_type = 'ip' or u.id in (${about.maker_id}, ${about.approver_id})) and ${caseIsVisibleToUser(sql`u`)})
         order by u.id`,
  );
}

function listOne(db: Database, id: number): Promise<Recipient[]> {
  return query<Recipient>(db, sql`select ${RECIPIENT} from user_account u where u.id = ${id} and u.status = 'active'`);
}

/**
 * Without a designated approver: the admins with `approve_drs` who see the case, except people with a part in the request
 * (APPROVER-1).
 */
function listStaffApprovers(db: Database, { id }: AnnouncedDisbursement): Promise<Recipient[]> {
  return query<Recipient>(
    db,
    sql`select ${RECIPIENT} from user_account u
       join disbursement_request d on d.id = ${id}
       join case_file c on c.id = d.case_id
      where u.user_type = 'admin' and u.status = 'active' and ${staffMayDecide(sql`u.id`)}
        and ${canBeSecondPerson(sql`u.id`, MAKERS)}
      order by u.id limit 50`,
  );
}
