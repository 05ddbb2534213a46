import type { Database, Transaction } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import { runForRecipient, type User } from '@case-platform/modules/accounts';
import { queueEmail, triggerPush } from '@case-platform/modules/notifications';
import { bankDayOf } from '@case-platform/words/bank-days';
import { monthWords } from '@case-platform/words/day-words';
import { moneyWords } from '@case-platform/words/money';
import { listShortfalls, type Shortfall } from './case-projection.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Runs on a schedule and notifies people of cases that will run short of planned payments. */
    warn_of_shortfalls: object;
  }
}

interface WarningContext {
  db: Database;
  webUrl: string;
  adminUrl: string;
}

const CASES_AT_ONCE = 500;

const FOR_PARENTS =
  'Nothing is lost and nothing is late. Your escrow specialist can tell you how to make a deposit, and the case shows what’s planned, month by month.';
const FOR_STAFF =
  'You’re its escrow specialist. The case shows the months ahead and each planned payment. The parents get this message, too.';

/**
 * Sends `funds_short` to the parents and the escrow specialist once a month while a shortfall lasts (PROJECTION-3). The month is
 * that of the bank's time zone.
 */
export async function warnOfShortfalls(context: WarningContext, now: Date): Promise<void> {
  const today = bankDayOf(now);
  const month = `${today.slice(0, 7)}-01`;
  // A case that runs short in more than a year has time, and the figure on its page says so.
  const inAYear = `${Number(today.slice(0, 4)) + 1}-${today.slice(5, 7)}`;
  for (let after = 0, ids = [0]; ids.length > 0; after = ids.at(-1) ?? 0) {
    ids = await listUnwarnedCases(context.db, month, after);
    const shortfalls = await listShortfalls(context.db, ids, now);
    const soon = [...shortfalls].filter(([, shortfall]) => shortfall.month < inAYear);
    for (const [caseId, shortfall] of soon) await context.db.transaction((tx) => warn(tx, context, { caseId, month, shortfall }));
  }
}

/** Open cases with planned payments that have had no notice in this month. */
async function listUnwarnedCases(db: Database, month: string, after: number): Promise<number[]> {
  const rows = await query<{ id: number }>(
    db,
    // The lateral join reads one line of each case, whatever the size of the calendars. An `exists` would read all lines for each
    // page.
    sql`select c.id from case_file c
         cross join lateral (
           select from scheduled_payment s where s.case_id = c.id and s.status = 'planned' limit 1) planned
         where c.id > ${after} and c.status not in ('closed', 'cancelled')
           and not exists (select from funds_short_notice n where n.case_id = c.id and n.month = ${month})
         order by c.id ${limitTo(CASES_AT_ONCE)}`,
  );
  return rows.map(({ id }) => id);
}

interface Warning {
  caseId: number;
  shortfall: Shortfall;
  /** The first day of the month of the notice. */
  month: string;
}

/** If two workers run at the same time, only the one that inserts the row sends the notice. */
async function warn(tx: Transaction, { webUrl, adminUrl }: WarningContext, { caseId, month, shortfall }: Warning): Promise<void> {
  const [warned] = await query<{ case_name: string }>(
    tx,
    sql`insert into funds_short_notice (case_id, month, short_in, missing_cents)
        values (${caseId}, ${month}, ${`${shortfall.month}-01`}, ${shortfall.missing_cents}) on conflict do nothing
        returning (select name from case_file c where c.id = case_id) as case_name`,
  );
  if (warned === undefined) return;
  const key = `case:${caseId}:funds_short:${month}`;
  const people = await listPeopleToWarn(tx, caseId);
  for (const to of people) {
    const isStaff = to.user_type === 'admin';
    await runForRecipient(tx, to.id, () =>
      queueEmail(tx, {
        key,
        event: 'funds_short',
        to,
        template_name: 'funds_short.html',
        subject: `${warned.case_name} will be short of funds in ${monthWords(shortfall.month)}`,
        template_context: {
          first_name: to.first_name,
          case_name: warned.case_name,
          next_step: isStaff ? FOR_STAFF : FOR_PARENTS,
          missing: moneyWords(shortfall.missing_cents),
          month: monthWords(shortfall.month),
          url: isStaff ? `${adminUrl}/cases/${caseId}/money` : `${webUrl}/cases/${caseId}`,
        },
      }),
    );
  }
  await triggerPush(tx, {
    key,
    event: 'funds_short',
    recipients: people.map(({ id, user_type }) => ({ user_id: id, user_type })),
    notification: {
      title: 'A deposit will be needed',
      body: 'More is planned for one of your cases than is available.',
      url: `/cases/${caseId}`,
      tag: `funds-short-${caseId}`,
    },
  });
}

function listPeopleToWarn(
  tx: Transaction,
  caseId: number,
): Promise<Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'>[]> {
  return query(
    tx,
    sql`select u.id, u.user_type, u.email_address, u.first_name from user_account u
         where u.status = 'active' and u.id in (
           select p.user_id from case_participant p join user_account ip on ip.id = p.user_id and ip.user_type = 'ip'
            where p.case_id = ${caseId} and p.left_at is null
           union select c.escrow_specialist_id from case_file c where c.id = ${caseId})
         order by u.id`,
  );
}
