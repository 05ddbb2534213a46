import { createHash } from 'node:crypto';
import type { Executor } from '@case-platform/lib/database';
import { ForbiddenError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { disbursementIsVisible } from '@case-platform/modules/disbursements';
import { takesEffect } from '@case-platform/words/bank-reasons';
import type { ReturnFileEntry } from '../nacha/read-return-file.ts';

/** `noted`: the code rejects a return or is unknown, so people read it and nothing changes (RETURN-9). */
export type PlannedOutcome = 'returned' | 'corrected' | 'already_returned' | 'noted' | 'not_ours';

/** Our payment that an entry is about. */
interface OwnEntry {
  id: number;
  batch_id: number;
  disbursement_id: number;
  payee_id: number;
  case_id: number;
  bank_account_id: number;
  returned_at: Date | null;
}

/** An entry of a return file with what it did, or would do now. */
export interface PlannedReturn {
  entry: ReturnFileEntry;
  outcome: PlannedOutcome;
  /** Null when no payment of ours has this trace number and amount. */
  own: OwnEntry | null;
}

/** The effects that the entries of a file would have now, in file order. */
export async function planReturns(db: Executor, entries: readonly ReturnFileEntry[]): Promise<PlannedReturn[]> {
  const plan: PlannedReturn[] = [];
  const returnedIds = new Set<number>();
  for (const entry of entries) {
    const own = await findOwnEntry(db, entry);
    const outcome = outcomeOf(entry, own, returnedIds);
    if (outcome === 'returned' && own !== null) returnedIds.add(own.id);
    plan.push({ entry, own, outcome });
  }
  return plan;
}

function outcomeOf(entry: ReturnFileEntry, own: OwnEntry | null, returnedIds: ReadonlySet<number>): PlannedOutcome {
  if (own === null) return 'not_ours';
  if (!takesEffect(entry.code)) return 'noted';
  if (entry.kind === 'change') return 'corrected';
  if (own.returned_at !== null || returnedIds.has(own.id)) return 'already_returned';
  return 'returned';
}

/**
 * Trace numbers start again after ten million entries, so the newest payment with the number counts. A return has the amount of
 * its payment (RETURN-3), and may arrive as soon as the file was released (RETURN-6).
 */
async function findOwnEntry(db: Executor, entry: ReturnFileEntry): Promise<OwnEntry | null> {
  const [ownEntry] = await query<OwnEntry>(
    db,
    sql`select e.id, e.batch_id, e.disbursement_id, d.payee_id, d.case_id, e.bank_account_id,
               e.returned_at
          from banking_batch_entry e join banking_batch b on b.id = e.batch_id
          join disbursement_request d on d.id = e.disbursement_id
         where e.trace_number = ${entry.original_trace} and e.released_at is null
           and b.status in ('outcome_unknown', 'transmitted', 'settled')
           and (${entry.kind === 'return' ? entry.amount_cents : null}::bigint is null
                or e.amount_cents = ${entry.kind === 'return' ? entry.amount_cents : null}::bigint)
         order by e.id desc limit 1`,
  );
  return ownEntry ?? null;
}

/** The requests that a file is about, each once. */
export function requestsOf(plan: readonly PlannedReturn[]): number[] {
  return [...new Set(plan.flatMap(({ own }) => (own === null ? [] : [own.disbursement_id])))];
}

/** A hash that changes as soon as the file would do anything else than what was seen. */
export function versionOf(sha256: string, plan: readonly PlannedReturn[]): string {
  const effects = plan.map(({ entry, outcome, own }) => [entry.line, outcome, own?.id ?? null]);
  return createHash('sha256')
    .update(JSON.stringify([sha256, effects]))
    .digest('hex');
}

/** Those of these requests that the reader may see. */
export async function findVisible(db: Executor, reader: User, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await query<{ id: number }>(
    db,
    sql`select d.id from disbursement_request d join case_file c on c.id = d.case_id
         where d.id = any(${ids}::bigint[]) and ${disbursementIsVisible(reader)}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Someone who uploads or confirms a file has to see every request that it is about (RETURN-2).
 * @throws {ForbiddenError} `not_visible`.
 */
export async function requireVisibleRequests(db: Executor, reader: User, ids: readonly number[]): Promise<void> {
  if ((await findVisible(db, reader, ids)).size === ids.length) return;
  const words = 'This file includes payments on cases you can’t see. Someone with access to all of them has to do this.';
  throw new ForbiddenError(words, 'not_visible');
}
