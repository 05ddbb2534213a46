import { randomUUID } from 'node:crypto';
import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { invalid } from '@case-platform/lib/errors';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { nameSkeleton } from '@case-platform/lib/text/name-skeleton';
import { displayName, fullName, type User } from '@case-platform/modules/accounts';
import { queueEmail } from '@case-platform/modules/notifications';
import { userTypeInWords } from '@case-platform/words/user-types';

interface NameChange {
  /** The same in every attempt of the job. */
  change_id: string;
  case_id: number;
  user_id: number;
  /** Null for a change by the platform itself. */
  changed_by: number | null;
  before: string;
  after: string;
}

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Mails the case's escrow specialist about a new name of a person on the case. */
    mail_name_change: NameChange;
  }
}

/**
 * Announces a new name of a person who is not staff, in the transaction of the change: it is recorded for each of their cases,
 * whose timelines show it, and each case's escrow specialist gets a mail, except the one who made the change.
 * @throws {InvalidInputError} for a name that could be mistaken for that of staff on one of these cases (ACCOUNT-5).
 */
export async function announceName(tx: Transaction, user: User, { before }: { before: string }, by: ChangedBy): Promise<void> {
  if (user.user_type === 'admin') return;
  const cases = await query<{ id: number; name: string }>(
    tx,
    sql`select c.id, c.name from case_participant p join case_file c on c.id = p.case_id
         where p.user_id = ${user.id} and p.left_at is null order by c.id`,
  );
  const after = displayName(user);
  for (const { id: case_id, name } of cases) {
    await requireDistinctNames(tx, case_id, 'first_name');
    const entry = { action: 'case.rename_person', subject_id: case_id, subject_label: name, case_id } as const;
    await recordAudit(tx, { ...by, ...entry, before: { name: before }, after: { user_id: user.id, name: after } });
    const change = { change_id: randomUUID(), changed_by: by.actor?.id ?? null };
    await enqueue(tx, 'mail_name_change', { ...change, case_id, user_id: user.id, before, after });
  }
}

export async function mailNameChange(
  { db, adminUrl }: { db: Database; adminUrl: string },
  { change_id, case_id, user_id, changed_by, before, after }: NameChange,
): Promise<void> {
  const [mail] = await query<Recipient & { role: User['user_type']; case_name: string }>(
    db,
    sql`select u.id, u.user_type, u.email_address, u.first_name, renamed.user_type as role, c.name as case_name
          from case_file c join user_account renamed on renamed.id = ${user_id}
          join user_account u on u.id = c.escrow_specialist_id and u.status = 'active'
         where c.id = ${case_id} and u.id is distinct from ${changed_by}`,
  );
  if (mail === undefined) return;
  const { role, case_name, ...to } = mail;
  await db.transaction((tx) =>
    queueEmail(tx, {
      key: `name_changed:${change_id}`,
      event: 'name_changed',
      to,
      subject: `${before} is now called ${after}`,
      template_name: 'name_changed.html',
      template_context: {
        first_name: to.first_name,
        before,
        after,
        role: userTypeInWords(role).toLowerCase(),
        case_name,
        url: `${adminUrl}/cases/${case_id}`,
      },
    }),
  );
}

type Recipient = Pick<User, 'id' | 'user_type' | 'email_address' | 'first_name'>;

/**
 * Rejects a case in which someone's name could be mistaken for that of staff who work on it (ACCOUNT-5). Call it after a change
 * of a name, or of the people or staff of a case, in that transaction.
 * @param field the form field that the error belongs to.
 * @throws {InvalidInputError}
 */
export async function requireDistinctNames(tx: Executor, caseId: number, field: string): Promise<void> {
  const people = await query<{ name: string; is_staff: boolean }>(
    tx,
    sql`select ${fullName(sql`u`)} as name, u.user_type = 'admin' as is_staff
          from user_account u
         where u.id in (
           select p.user_id from case_participant p where p.case_id = ${caseId} and p.left_at is null
           union select a.user_id from case_admin a where a.case_id = ${caseId}
           union select c.escrow_specialist_id from case_file c where c.id = ${caseId})`,
  );
  const staff = new Set(people.filter(({ is_staff }) => is_staff).map(({ name }) => nameSkeleton(name)));
  const same = people.find(({ name, is_staff }) => !is_staff && staff.has(nameSkeleton(name)));
  if (same !== undefined) {
    throw invalid(
      field,
      `${same.name} is also the name of someone on the escrow team of this case. Use a name that can’t be mistaken for theirs.`,
    );
  }
}
