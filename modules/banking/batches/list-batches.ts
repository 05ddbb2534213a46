import { defineIdCursor } from '@case-platform/lib/cursor';
import type { Executor } from '@case-platform/lib/database';
import { NotFoundError } from '@case-platform/lib/errors';
import { allOf, limitTo, query, rowsFor, type Sql, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import { findPlaces, type NotPayable } from '@case-platform/modules/disbursements';
import type { Place } from '@case-platform/words/whereabouts';
import { notedCodes } from '../returns/noted-codes.ts';
import { BATCH_LIST_SHA256, type BatchStatus } from './batch.ts';
import { findUnusual } from './unusual-payments.ts';
import type { UnusualReason } from './what-is-unusual.ts';
import { findBlocked, isBeforeTheBank } from './why-blocked.ts';

export interface BatchSummary {
  id: number;
  status: BatchStatus;
  entry_count: number;
  total_cents: number;
  same_day: boolean;
  /** YYYY-MM-DD, the day that the file names; null before there is a file. */
  effective_date: string | null;
  /** Hexadecimal; null before there is a file. */
  file_sha256: string | null;
  created_by: number;
  created_by_name: string;
  /** The person who released the file, and who sends it to the bank. */
  handed_out_by: number | null;
  created_at: Date;
  /** Signatures of its current file. */
  signatures: number;
  /** True while it cannot be sent, because of a payment in it or a late file (BATCH-10). */
  is_blocked: boolean;
}

interface BatchStep {
  status: BatchStatus;
  name: string;
  note: string;
  created_at: Date;
}

export interface BatchEntry {
  disbursement_id: number;
  case_id: number;
  case_name: string;
  category: string;
  description: string;
  payee_id: number;
  payee_name: string;
  holder_name: string;
  last_four: string;
  account_kind: 'checking' | 'savings';
  amount_cents: number;
  trace_number: string | null;
  return_code: string | null;
  /** Codes that the bank sent about this payment and that changed nothing, such as `R62` (RETURN-9). */
  noted_codes: string[];
  /** Where the money is now, for a payment that came back; it may have been paid in another batch since. */
  place: Place | null;
  released_at: Date | null;
  /** The reason why this payment blocks the batch; null when it does not, and after the file was released. */
  problem: NotPayable | null;
  /** Reasons to look twice before approving, signing, or releasing it (BATCH-11); empty after the file was released. */
  unusual: UnusualReason[];
}

interface Signature {
  user_id: number;
  name: string;
  signed_at: Date;
}

const CURSOR = defineIdCursor('before');
const SUMMARY = sql`select b.id, b.status, b.entry_count, b.total_cents, b.same_day, b.effective_date::text as effective_date,
    encode(b.file_sha256, 'hex') as file_sha256, b.created_by, ${fullName(sql`u`)} as created_by_name, b.handed_out_by,
    b.created_at,
    (select count(*)::int from batch_signature s where s.batch_id = b.id and s.file_sha256 = b.file_sha256) as signatures
  from banking_batch b join user_account u on u.id = b.created_by`;

interface BatchFilter {
  status?: BatchStatus | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** One keyset page of batches, newest first. */
export async function listBatches(
  db: Executor,
  { status, limit = 25, cursor }: BatchFilter,
  now: Date,
): Promise<{ data: BatchSummary[]; next_cursor: string | null }> {
  const conditions: Sql[] = [];
  if (status !== undefined) conditions.push(sql`b.status = ${status}`);
  if (cursor !== undefined) conditions.push(sql`b.id < ${CURSOR.read(cursor)}`);
  const rows = await query<Omit<BatchSummary, 'is_blocked'>>(
    db,
    sql`${SUMMARY} where ${allOf(conditions)} order by b.id desc ${limitTo(rowsFor(limit))}`,
  );
  const page = rows.slice(0, limit);
  const blockages = await findBlocked(db, page, now);
  const data = page.map((batch) => ({ ...batch, is_blocked: blockages.has(batch.id) }));
  const last = rows.length > limit ? data.at(-1) : undefined;
  return { data, next_cursor: last === undefined ? null : CURSOR.write(last.id) };
}

export interface BatchDetails extends BatchSummary {
  /** The SHA-256 of its list of payments, which approving and settling name (BATCH-4). */
  list_sha256: string;
  steps: BatchStep[];
  entries: BatchEntry[];
  /** True if the day of its file has come before the bank got it, which blocks the batch like a payment with a problem. */
  is_late: boolean;
  signers: Signature[];
  /** Those who signed earlier files of the batch. */
  earlier_signers: Signature[];
}

/** A batch with its history, its entries (including those that were taken out), and its signers. @throws {NotFoundError} */
export async function getBatch(db: Executor, batchId: number, now: Date): Promise<BatchDetails> {
  const [batch] = await query<Omit<BatchSummary, 'is_blocked'> & Pick<BatchDetails, 'list_sha256'>>(
    db,
    sql`select summary.*, (select ${BATCH_LIST_SHA256} from banking_batch b
                           where b.id = ${batchId}) as list_sha256
          from (${SUMMARY} where b.id = ${batchId}) summary`,
  );
  if (batch === undefined) throw new NotFoundError();
  const [steps, entries, signatures, blockages, unusual] = await Promise.all([
    query<BatchStep>(
      db,
      sql`select s.status, ${fullName(sql`u`)} as name, s.note, s.created_at
            from banking_batch_step s join user_account u on u.id = s.user_id where s.batch_id = ${batchId}
           order by s.id`,
    ),
    listEntries(db, batchId),
    query<Signature & { file_sha256: string }>(
      db,
      sql`select s.user_id, ${fullName(sql`u`)} as name, s.signed_at, encode(s.file_sha256, 'hex') as file_sha256
            from batch_signature s join user_account u on u.id = s.user_id where s.batch_id = ${batchId}
           order by s.signed_at`,
    ),
    findBlocked(db, [batch], now),
    isBeforeTheBank(batch) ? findUnusual(db, batchId, now) : new Map<number, UnusualReason[]>(),
  ]);
  const places = await findPlaces(
    db,
    entries.filter(hasComeBack).map(({ disbursement_id }) => disbursement_id),
    now,
  );
  const blockage = blockages.get(batchId);
  const problems = new Map(blockage?.payments.map((problem) => [problem.disbursement_id, problem]));
  const isCurrent = ({ file_sha256 }: { file_sha256: string }) => file_sha256 === batch.file_sha256;
  return {
    ...batch,
    is_blocked: blockage !== undefined,
    is_late: blockage?.is_late ?? false,
    steps,
    entries: entries.map((entry) => {
      const id = entry.released_at === null ? entry.disbursement_id : 0;
      const place = hasComeBack(entry) ? (places.get(entry.disbursement_id) ?? null) : null;
      return { ...entry, place, problem: problems.get(id) ?? null, unusual: unusual.get(id) ?? [] };
    }),
    signers: signatures.filter(isCurrent),
    earlier_signers: signatures.filter((signature) => !isCurrent(signature)),
  };
}

const hasComeBack = ({ return_code }: Pick<BatchEntry, 'return_code'>) => return_code !== null;

function listEntries(db: Executor, batchId: number): Promise<Omit<BatchEntry, 'place' | 'problem' | 'unusual'>[]> {
  return query<Omit<BatchEntry, 'place' | 'problem' | 'unusual'>>(
    db,
    sql`select e.disbursement_id, d.case_id, c.name as case_name, d.category, d.description, u.id as payee_id,
               ${fullName(sql`u`)} as payee_name, a.holder_name, a.last_four, a.account_kind, e.amount_cents,
               e.trace_number, e.return_code, e.released_at,
               ${notedCodes(sql`e.id`)} as noted_codes
          from banking_batch_entry e join disbursement_request d on d.id = e.disbursement_id
          join case_file c on c.id = d.case_id
          join payee_bank_account a on a.id = e.bank_account_id join user_account u on u.id = a.user_id
         where e.batch_id = ${batchId} order by e.released_at is not null, e.disbursement_id, e.id`,
  );
}
