import type { Database } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { adminHasPermission, canBeSecondPerson, fullName, type User } from '@case-platform/modules/accounts';
import { caseIsVisibleToAdmin, caseIsVisibleToUser } from '@case-platform/modules/cases';
import { queueEmail, triggerPush } from '@case-platform/modules/notifications';
import type { PaymentStopNews } from './payment-stop.ts';

type Recipient = Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'>;

interface Announced {
  disbursement_id: number;
  case_id: number;
  case_name: string;
  payee_id: number;
  payee_name: string;
  raised_by: number;
  raised_by_name: string;
}

const MAILS = {
  raised: { event: 'payment_alarm', template_name: 'payment_alarm.html' },
  cleared: { event: 'payment_alarm_cleared', template_name: 'payment_alarm_cleared.html' },
} as const;

/** A lock screen names no one. */
const PUSHES = {
  raised: { title: 'Payments stopped', body: 'Someone doesn’t trust a request. Payments wait until you’ve checked it.' },
  cleared: { title: 'Payments continue', body: 'Our team checked the payments that you stopped.' },
} as const;

/** Mails the people who can clear a stop, without its reason, or the person who raised a cleared one (BANK-10). */
export async function mailPaymentStop(
  { db, webUrl, adminUrl }: { db: Database; webUrl: string; adminUrl: string },
  news: PaymentStopNews,
): Promise<void> {
  const about = await findAnnounced(db, news);
  if (about === null) return;
  const { payee_name, raised_by_name, case_name, disbursement_id } = about;
  const subject = news.event === 'raised' ? `Payments to ${payee_name} are stopped` : `Payments to ${payee_name} continue`;
  for (const person of await listRecipients(db, about, news)) {
    const url = `${person.user_type === 'admin' ? adminUrl : webUrl}/disbursements/${disbursement_id}`;
    const raiser = news.event === 'raised' ? { raised_by_name } : {};
    const template_context = { first_name: person.first_name, payee_name, case_name, url, ...raiser };
    await db.transaction((tx) =>
      queueEmail(tx, { ...MAILS[news.event], key: keyOf(news), to: person, subject, template_context }),
    );
  }
}

/** Pushes to the people who are mailed. */
export async function pushPaymentStop({ db }: { db: Database }, news: PaymentStopNews): Promise<void> {
  const about = await findAnnounced(db, news);
  if (about === null) return;
  const recipients = await listRecipients(db, about, news);
  const push = {
    key: keyOf(news),
    event: MAILS[news.event].event,
    recipients: recipients.map(({ id, user_type }) => ({ user_id: id, user_type })),
    notification: {
      ...PUSHES[news.event],
      url: `/disbursements/${about.disbursement_id}`,
      tag: `payment-stop-${news.stop_id}-${news.event}`,
    },
  };
  await db.transaction((tx) => triggerPush(tx, push));
}

const keyOf = ({ stop_id, event }: PaymentStopNews) => `payment_stop:${stop_id}:${event}`;

/** Null if the stop was cleared before its notice was sent. */
async function findAnnounced(db: Database, { stop_id, event }: PaymentStopNews): Promise<Announced | null> {
  const [about] = await query<Announced & { is_cleared: boolean }>(
    db,
    sql`select s.disbursement_id, s.case_id, c.name as case_name, s.payee_id, ${fullName(sql`payee`)} as payee_name, s.raised_by,
               ${fullName(sql`raiser`)} as raised_by_name, s.cleared_at is not null as is_cleared
          from payment_stop s join case_file c on c.id = s.case_id
          join user_account payee on payee.id = s.payee_id join user_account raiser on raiser.id = s.raised_by
         where s.id = ${stop_id}`,
  );
  if (about === undefined || about.is_cleared !== (event === 'cleared')) return null;
  return about;
}

/**
 * For a new stop, the escrow specialist of its case and the admins who see the case and have `edit_drs`, without the payee's other
 * records; for a cleared one, the person who raised it, as long as they see the case.
 */
function listRecipients(db: Database, about: Announced, { event }: PaymentStopNews): Promise<Recipient[]> {
  const clears = sql`u.user_type = 'admin' and ${canBeSecondPerson(sql`u.id`, sql`array[${about.payee_id}::bigint]`)}
    and (u.id = c.escrow_specialist_id or ${adminHasPermission(sql`u.id`, 'edit_drs')} and ${caseIsVisibleToAdmin(sql`u.id`)})`;
  const raised = sql`u.id = ${about.raised_by} and ${caseIsVisibleToUser(sql`u`)}`;
  return query<Recipient>(
    db,
    sql`select u.id, u.user_type, u.email_address, u.first_name from user_account u join case_file c on c.id = ${about.case_id}
         where u.status = 'active' and ${event === 'raised' ? clears : raised} order by u.id limit 50`,
  );
}
