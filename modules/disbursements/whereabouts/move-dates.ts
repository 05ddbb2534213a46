import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { type MovedBecause, PASSES_AGAIN } from '@case-platform/words/whereabouts';
import type { DisbursementStatus } from '../disbursement-states.ts';
import { PAYMENT_FACTS, type PaymentFactsJson, toPaymentFacts } from '../payable/payment-facts.ts';
import { hasNoDate } from '../payable/why-not-payable.ts';
import { announceMoves, type MovedDate } from './announce-moves.ts';
import { BANK_HAS_IT } from './bank-has-it.ts';
import { batchDay, expectedBankDate } from './expected-bank-date.ts';

declare module '@case-platform/lib/jobs' {
  interface TaskPayloads {
    /** Moves arrival days that passed, and those whose hold changed without a step of the request; of one payee, if named. */
    move_dates: { payee_id?: number };
  }
}

/** A request on its way to the bank, with its current arrival day and the one that people know. */
interface DatedRequest {
  id: number;
  status: DisbursementStatus;
  /** The day, `YYYY-MM-DD`, after every known hold; null if no day is known. */
  date: string | null;
  /** The first day on which a batch can contain it, `YYYY-MM-DD`. */
  batch_day: string;
  lacks_account: boolean;
  bank_date: string | null;
  promised_date: string | null;
  promised_before: string | null;
  moved_because: MovedBecause | null;
}

interface Moving {
  now: Date;
  /** The cause, if a step moves the day; otherwise the holds say it. */
  because?: MovedBecause | undefined;
  /** True if another notice of the same step names the days. */
  isQuiet?: boolean;
  /** When people are notified; at once if unset. */
  announceAt?: Date | undefined;
}

/** The states in which a payment has an arrival day that can move. */
const ON_ITS_WAY = sql`d.status in ('submitted', 'approved', 'batched')`;

/** Stores the arrival day of requests that were just submitted or are paid again, as the first one that people know (WHERE-3). */
export async function promiseDates(tx: Transaction, ids: readonly number[], now: Date): Promise<void> {
  await store(tx, (await listDated(tx, ids, now)).map(toFirst));
}

/**
 * Compares the arrival days that people know with the current ones, stores each move, and announces all in one notice (WHERE-3). The
 * caller has locked the requests, so that two at once find one move. A request without a known day gets its first one, without a
 * notice.
 */
export async function moveDates(tx: Transaction, ids: readonly number[], moving: Moving): Promise<MovedDate[]> {
  const requests = await listDated(tx, ids, moving.now);
  const moves = requests.flatMap((request) => findMove(request, moving) ?? []);
  await store(tx, [
    ...requests.filter((request) => !isKnown(request)).map(toFirst),
    ...moves.map(({ request: { id, promised_before }, from, to, because }) => {
      // The day is what it was before its last move, so nothing moved for someone who looks now.
      const isBack = to !== null && to === promised_before;
      return { id, promised_date: to, promised_before: isBack ? null : from, moved_because: isBack ? null : because };
    }),
  ]);
  const dates = moves.map(({ request, ...move }): MovedDate => ({ disbursement_id: request.id, ...move }));
  if (moving.isQuiet !== true) await announceMoves(tx, dates, moving.announceAt);
  return dates;
}

/** Moves the days of payees' requests after a change of their accounts; see `moveDates`. The caller has locked the payees. */
export async function moveDatesOfPayees(tx: Transaction, payeeIds: readonly number[], moving: Moving): Promise<MovedDate[]> {
  const rows = await query<{ id: number }>(
    tx,
    sql`select d.id from disbursement_request d
         where d.payee_id = any(${payeeIds}::bigint[]) and ${ON_ITS_WAY} order by d.id for no key update`,
  );
  return moveDates(
    tx,
    rows.map(({ id }) => id),
    moving,
  );
}

const CHUNK = 200;

/**
 * Moves the days that have passed, and those whose hold changed without a step of the request, for example because a payee left or
 * all payments to them were stopped (WHERE-3). Requests that move together have one transaction and one notice, at most 200 of the
 * cases next to each other, and a repeat finds nothing to move.
 * @param only.payee_id only the requests that pay this person.
 */
export async function movePassedDates({ db }: { db: Database }, { payee_id }: { payee_id?: number }, now: Date): Promise<void> {
  const rows = await query<{ id: number }>(
    db,
    sql`select d.id from disbursement_request d
         where ${ON_ITS_WAY} and (${payee_id ?? null}::bigint is null or d.payee_id = ${payee_id ?? null}) order by d.case_id, d.id`,
  );
  for (let at = 0; at < rows.length; at += CHUNK) {
    const ids = rows.slice(at, at + CHUNK).map(({ id }) => id);
    const late = (await listDated(db, ids, now)).filter((one) => !isKnown(one) || findMove(one, { now }) !== null);
    if (late.length === 0) continue;
    await db.transaction(async (tx) => {
      const ids = late.map(({ id }) => id);
      await query(tx, sql`select id from disbursement_request where id = any(${ids}::bigint[]) order by id for no key update`);
      await moveDates(tx, ids, { now });
    });
  }
}

async function listDated(db: Executor, ids: readonly number[], now: Date): Promise<DatedRequest[]> {
  type Row = Omit<DatedRequest, 'date' | 'batch_day' | 'lacks_account'> & { bank_has_it: boolean; facts: PaymentFactsJson };
  const rows = await query<Row>(
    db,
    sql`select d.id, d.status, d.bank_date::text as bank_date, ${BANK_HAS_IT} as bank_has_it, ${PAYMENT_FACTS} as facts,
               d.promised_date::text as promised_date, d.promised_before::text as promised_before, d.moved_because
          from disbursement_request d where d.id = any(${ids}::bigint[]) and ${ON_ITS_WAY} order by d.id`,
  );
  return rows.map(({ bank_has_it, facts: json, ...row }) => {
    const facts = toPaymentFacts(json);
    const usable_from = facts.account?.usable_from ?? null;
    const isOpen = !bank_has_it && hasNoDate(facts, now);
    const date = isOpen ? null : expectedBankDate({ ...row, bank_has_it, usable_from }, now);
    return { ...row, date, batch_day: batchDay(usable_from, now), lacks_account: facts.account === null };
  });
}

function isKnown({ promised_date, moved_because }: DatedRequest): boolean {
  return promised_date !== null || moved_because !== null;
}

interface DateMove {
  request: DatedRequest;
  from: string | null;
  to: string | null;
  because: MovedBecause;
}

/** Returns the move of a known day; null if it did not move, or passed again while the same person has not acted. */
function findMove(request: DatedRequest, moving: Moving): DateMove | null {
  const { date, promised_date, promised_before, moved_because } = request;
  if (!isKnown(request) || date === promised_date) return null;
  const because = causeOf(request, moving);
  if (moving.because === undefined && because === moved_because && PASSES_AGAIN.includes(because)) return null;
  return { request, from: promised_date ?? promised_before, to: date, because };
}

function causeOf(request: DatedRequest, { because, now }: Moving): MovedBecause {
  const { date, promised_date, batch_day, lacks_account, status, bank_date } = request;
  if (date === null) return 'stopped';
  if (promised_date !== null && date < promised_date) return 'sooner';
  if (because !== undefined) return because;
  if (promised_date === null) return 'resumed';
  if (batch_day > batchDay(null, now)) return 'account_waits';
  if (status === 'submitted') return 'not_approved';
  if (lacks_account) return 'no_account';
  return bank_date === null ? 'not_sent' : 'late_file';
}

function toFirst({ id, date }: DatedRequest): StoredDate {
  return { id, promised_date: date, promised_before: null, moved_because: null };
}

interface StoredDate {
  id: number;
  promised_date: string | null;
  promised_before: string | null;
  moved_because: MovedBecause | null;
}

async function store(tx: Transaction, dates: readonly StoredDate[]): Promise<void> {
  if (dates.length === 0) return;
  await query(
    tx,
    sql`update disbursement_request d
           set promised_date = s.promised_date, promised_before = s.promised_before, moved_because = s.moved_because, updated_at = now()
          from unnest(${dates.map(({ id }) => id)}::bigint[], ${dates.map((one) => one.promised_date)}::date[],
                      ${dates.map((one) => one.promised_before)}::date[], ${dates.map((one) => one.moved_because)}::text[])
            as s (id, promised_date, promised_before, moved_because)
         where d.id = s.id`,
  );
}
