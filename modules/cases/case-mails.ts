import type { Database, Executor } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import { adminHasPermission, runForRecipient, type User } from '@case-platform/modules/accounts';
import { queueEmail } from '@case-platform/modules/notifications';
import { longDayWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Asks the parents for the deposit that a confirmed pregnancy requires (EMAIL-7). */
    mail_pregnancy_funding: { milestone_id: number };
    /** Notifies the admins of a case that the last scheduled payment of a category was paid (EMAIL-8). */
    mail_last_scheduled_payment: { scheduled_payment_id: number; at: string };
    /** Scheduled: reminds escrow specialists of cases to be closed (EMAIL-9). */
    remind_of_closing: object;
  }
}

interface MailContext {
  db: Database;
  webUrl: string;
  adminUrl: string;
}

type Recipient = Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'>;
const RECIPIENT = sql`u.id, u.user_type, u.email_address, u.first_name`;

export async function mailPregnancyFunding(
  { db, webUrl }: MailContext,
  { milestone_id }: { milestone_id: number },
): Promise<void> {
  const [milestone] = await query<{ case_id: number; case_name: string; amount: number }>(
    db,
    sql`select m.case_id, c.name as case_name, m.funding_required_cents as amount
          from case_milestone m join case_file c on c.id = m.case_id
         where m.id = ${milestone_id} and m.funding_required_cents is not null`,
  );
  if (milestone === undefined) return;
  const { case_id, case_name, amount } = milestone;
  const parents = await query<Recipient>(
    db,
    sql`select ${RECIPIENT} from case_participant p join user_account u on u.id = p.user_id
         where p.case_id = ${case_id} and p.left_at is null and u.user_type = 'ip' and u.status = 'active'
         order by p.position, u.id`,
  );
  for (const to of parents) {
    const url = `${webUrl}/cases/${case_id}`;
    await db.transaction((tx) =>
      runForRecipient(tx, to.id, () =>
        queueEmail(tx, {
          key: `milestone:${milestone_id}:funding`,
          event: 'pregnancy_funding',
          to,
          subject: 'Wonderful news, and a deposit is needed now',
          template_name: 'ip_pregnancy_funding.html',
          template_context: { first_name: to.first_name, case_name, amount: moneyWords(amount), url },
        }),
      ),
    );
  }
}

/** Mails the admins of the case or, if it has none, those with `view_all_cases` (EMAIL-8). */
export async function mailLastScheduledPayment(
  { db, adminUrl }: MailContext,
  { scheduled_payment_id, at }: { scheduled_payment_id: number; at: string },
): Promise<void> {
  const [payment] = await query<{ case_id: number; case_name: string; category: string }>(
    db,
    sql`select s.case_id, c.name as case_name, s.category
          from scheduled_payment s join case_file c on c.id = s.case_id where s.id = ${scheduled_payment_id}`,
  );
  if (payment === undefined) return;
  const { case_id, case_name, category } = payment;
  for (const to of await listAdminsOf(db, case_id)) {
    const url = `${adminUrl}/cases/${case_id}`;
    await db.transaction((tx) =>
      queueEmail(tx, {
        key: `scheduled_payment:${scheduled_payment_id}:last:${at}`,
        event: 'last_scheduled_payment',
        to,
        subject: `${category}: the last scheduled payment is made`,
        template_name: 'last_scheduled_payment.html',
        template_context: { first_name: to.first_name, case_name, category, url },
      }),
    );
  }
}

const ADMINS_MAX = 50;

async function listAdminsOf(db: Database, caseId: number): Promise<Recipient[]> {
  const team = await query<Recipient>(
    db,
    sql`select ${RECIPIENT} from user_account u
         where u.user_type = 'admin' and u.status = 'active'
           and u.id in (select a.user_id from case_admin a where a.case_id = ${caseId}
                        union select f.escrow_specialist_id from case_file f where f.id = ${caseId})
         order by u.id ${limitTo(ADMINS_MAX)}`,
  );
  if (team.length > 0) return team;
  return query<Recipient>(
    db,
    sql`select ${RECIPIENT} from user_account u
         where u.user_type = 'admin' and u.status = 'active' and ${adminHasPermission(sql`u.id`, 'view_all_cases')}
         order by u.id ${limitTo(ADMINS_MAX)}`,
  );
}

/** Days before the due date from which the escrow specialist is reminded. */
const REMIND_DAYS_BEFORE = 7;

/**
 * Reminds escrow specialists once per due date, from a week before (EMAIL-9). A case without an escrow specialist is reminded of
 * as soon as it has one.
 */
export async function remindOfClosing({ db, adminUrl }: MailContext, now: Date): Promise<void> {
  const today = now.toISOString().slice(0, 10);
  const due = await query<{ id: number }>(
    db,
    sql`select c.id from case_file c
          join user_account u on u.id = c.escrow_specialist_id and u.status = 'active'
         where ${isDue(today)} order by c.close_due_on, c.id`,
  );
  for (const { id } of due) {
    await db.transaction(async (tx) => {
      const reminder = await claimReminder(tx, id, today);
      if (reminder === undefined) return;
      const { case_name, close_due_on, ...to } = reminder;
      await runForRecipient(tx, to.id, async () => {
        const day = longDayWords(close_due_on);
        await queueEmail(tx, {
          key: `case:${id}:close:${close_due_on}`,
          event: 'case_close_reminder',
          to,
          subject: `${case_name} closes by ${day}`,
          template_name: 'case_close_reminder.html',
          template_context: { first_name: to.first_name, case_name, close_due_on: day, url: `${adminUrl}/cases/${id}` },
        });
      });
    });
  }
}

const isDue = (today: string) => sql`c.close_due_on is not null and c.status not in ('closed', 'cancelled')
  and c.close_due_on <= ${today}::date + ${REMIND_DAYS_BEFORE}::int
  and c.close_reminded_for is distinct from c.close_due_on`;

/** Marks the due date as reminded. Of two workers at the same time, one gets a result. */
async function claimReminder(
  tx: Executor,
  id: number,
  today: string,
): Promise<(Recipient & { case_name: string; close_due_on: string }) | undefined> {
  const [reminder] = await query<Recipient & { case_name: string; close_due_on: string }>(
    tx,
    sql`update case_file c set close_reminded_for = c.close_due_on
          from user_account u
         where c.id = ${id} and u.id = c.escrow_specialist_id and u.status = 'active' and ${isDue(today)}
        returning ${RECIPIENT}, c.name as case_name, c.close_due_on::text as close_due_on`,
  );
  return reminder;
}
