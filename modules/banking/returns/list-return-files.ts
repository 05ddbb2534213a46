import type { Executor } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { NotFoundError } from '@case-platform/lib/errors';
import { allOf, limitTo, query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission, canBeSecondPerson, fullName, isPersonAmong, type User } from '@case-platform/modules/accounts';
import type { CaseReader } from '@case-platform/modules/cases';
import { disbursementIsVisible, listNamedPayments, type NamedPayment } from '@case-platform/modules/disbursements';
import { reasonInWords } from '@case-platform/words/bank-reasons';
import { findVisible, type PlannedOutcome, planReturns, requestsOf, versionOf } from './plan-returns.ts';
import { openReturnFile } from './return-file.ts';

/** A file from the bank, and what was decided about it. */
export interface ReturnFileSummary {
  id: number;
  filename: string;
  sha256: string;
  status: 'waiting' | 'applied' | 'refused';
  uploaded_by_name: string;
  uploaded_at: Date;
  decided_by_name: string | null;
  decided_at: Date | null;
  decision_reason: string | null;
  /** True when the reader uploaded the file. */
  is_own: boolean;
  /** True when someone else could confirm it now. */
  has_second: boolean;
}

/** One entry of a file, with what it does or did. */
export interface ShownReturn {
  line: number;
  code: string;
  reason: string;
  amount_cents: number;
  outcome: PlannedOutcome;
  /** Null when the entry is not about a payment of ours. */
  disbursement_id: number | null;
  /** The name as spelled by the bank, only while the file waits for a decision. */
  name: string | null;
  /** Its payment; null for readers who may not see the request, and when the entry is not about a payment of ours. */
  payment: NamedPayment | null;
}

export interface ReturnFile extends ReturnFileSummary {
  returns: ShownReturn[];
  /** The version that a decision names (RETURN-2); null once the file is decided. */
  version: string | null;
}

/** A condition: the reader sees every request that a file `f` is about. */
const seesAll = (reader: CaseReader) => sql`not exists (
  select from disbursement_request d join case_file c on c.id = d.case_id
   where d.id = any(f.disbursement_ids) and not ${disbursementIsVisible(reader)})`;

/** A condition: another person who may make payments sees every request of the file. */
const HAS_SECOND = sql`exists (
  select from user_account u where u.user_type = 'admin' and u.status = 'active' and ${adminHasPermission(sql`u.id`, 'make_payments')}
     and ${canBeSecondPerson(sql`u.id`, sql`array[f.uploaded_by]`)}
     and ${seesAll({ id: sql`u.id`, user_type: 'admin', agency_id: null })})`;

function select(db: Executor, reader: User, conditions: readonly Sql[], end: Sql): Promise<ReturnFileSummary[]> {
  return query<ReturnFileSummary>(
    db,
    sql`select f.id, f.filename, encode(f.file_sha256, 'hex') as sha256, f.status, f.uploaded_at, f.decided_at,
               f.decision_reason, ${fullName(sql`maker`)} as uploaded_by_name, ${fullName(sql`checker`)} as decided_by_name,
               ${isPersonAmong(reader.id, sql`array[f.uploaded_by]`)} as is_own, ${HAS_SECOND} as has_second
          from bank_return_file f join user_account maker on maker.id = f.uploaded_by
          left join user_account checker on checker.id = f.decided_by
         where ${allOf(conditions)} ${end}`,
  );
}

const SHOWN = 25;

/** The newest files, those that wait for a decision first. All readers with `make_payments` see that a file exists. */
export function listReturnFiles(db: Executor, reader: User): Promise<ReturnFileSummary[]> {
  return select(db, reader, [], sql`order by (f.status = 'waiting') desc, f.id desc ${limitTo(SHOWN)}`);
}

/** The oldest files that wait for this reader: uploaded by another person, and only about requests that the reader sees. */
export function listWaitingReturnFiles(db: Executor, reader: User, limit: number): Promise<ReturnFileSummary[]> {
  const conditions = [sql`f.status = 'waiting'`, canBeSecondPerson(reader.id, sql`array[f.uploaded_by]`), seesAll(reader)];
  return select(db, reader, conditions, sql`order by f.id ${limitTo(limit)}`);
}

/** A file with what it would do now, or what it did. @throws {NotFoundError} */
export async function getReturnFile(
  { db, encryptionKey }: { db: Executor; encryptionKey: EncryptionKey },
  reader: User,
  id: number,
): Promise<ReturnFile> {
  const [file] = await select(db, reader, [sql`f.id = ${id}`], sql``);
  if (file === undefined) throw new NotFoundError();
  const [row] = await query<{ content: Buffer | null }>(db, sql`select content from bank_return_file where id = ${id}`);
  const content = row?.content ?? null;
  if (content === null) return { ...file, returns: await listApplied(db, reader, id), version: null };
  const plan = await planReturns(db, openReturnFile(encryptionKey, file.sha256, content));
  const payments = await listVisiblePayments(db, reader, requestsOf(plan));
  const returns = plan.map(({ entry, outcome, own }) => {
    const { line, code, reason, amount_cents, name } = entry;
    const about = own?.disbursement_id ?? null;
    const payment = payments.get(about ?? 0) ?? null;
    return { line, code, reason, amount_cents, name, outcome, disbursement_id: about, payment };
  });
  return { ...file, returns, version: versionOf(file.sha256, plan) };
}

async function listApplied(db: Executor, reader: User, fileId: number): Promise<ShownReturn[]> {
  const rows = await query<Omit<ShownReturn, 'reason' | 'name' | 'payment'>>(
    db,
    sql`select r.line, r.code, r.amount_cents, r.outcome, e.disbursement_id
          from bank_return_entry r left join banking_batch_entry e on e.id = r.batch_entry_id
         where r.file_id = ${fileId} order by r.line`,
  );
  const ids = rows.flatMap(({ disbursement_id }) => disbursement_id ?? []);
  const payments = await listVisiblePayments(db, reader, ids);
  return rows.map((row) => ({
    ...row,
    name: null,
    reason: reasonInWords(row.code),
    payment: payments.get(row.disbursement_id ?? 0) ?? null,
  }));
}

async function listVisiblePayments(db: Executor, reader: User, ids: readonly number[]) {
  return listNamedPayments(db, [...(await findVisible(db, reader, ids))]);
}
