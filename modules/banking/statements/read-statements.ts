import type { Database } from '@case-platform/lib/database';
import type { ReadLagging } from '@case-platform/lib/database/replica-reads';
import { NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { balanceIsVisible } from '@case-platform/modules/ledger';
import { bankDayOf } from '@case-platform/words/bank-days';
import { type CaseStatement, getCaseStatement } from './case-statement.ts';
import { listOwnPayments, type OwnPayments } from './own-payments.ts';
import type { Period } from './period.ts';

interface Reads {
  db: Database;
  readLagging: ReadLagging;
}

/** Work that began before midnight, New York time, has been committed within this time. */
const COMMITTED_WITHIN_MS = 300_000;

/** Reads the statement of a case as `getCaseStatement` does. One of a past period may lag; who may see it may not (SCALE-5). */
export function readCaseStatement(
  { db, readLagging }: Reads,
  reader: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  caseId: number,
  period: Period,
  now: Date,
): Promise<CaseStatement> {
  if (!isOver(period, now)) return getCaseStatement(db, reader, caseId, period, now);
  return readLagging(
    (replica) => getCaseStatement(replica, reader, caseId, period, now),
    async (primary) => {
      const cases = await query(primary, sql`select from case_file c where c.id = ${caseId} and ${balanceIsVisible(reader)}`);
      if (cases.length === 0) throw new NotFoundError();
    },
  );
}

/** Reads the payments to a person as `listOwnPayments` does. Those of a past period may lag (SCALE-5). */
export function readOwnPayments({ db, readLagging }: Reads, payee: User, period: Period, now: Date): Promise<OwnPayments> {
  if (!isOver(period, now)) return listOwnPayments(db, payee, period);
  return readLagging((replica) => listOwnPayments(replica, payee, period));
}

/** True for a period in which nothing will move anymore, because no movement is dated back. */
function isOver({ to }: Period, now: Date): boolean {
  return to < bankDayOf(new Date(now.getTime() - COMMITTED_WITHIN_MS));
}
