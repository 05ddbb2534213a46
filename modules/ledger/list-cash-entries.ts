import type { Executor } from '@case-platform/lib/database';
import { allOf, limitTo, query, type Sql, sql } from '@case-platform/lib/sql';
import { adminHasPermission, canBeSecondPerson, fullName, isPersonAmong, type User } from '@case-platform/modules/accounts';
import { caseIsVisible, caseIsVisibleToAdmin } from '@case-platform/modules/cases';
import { CASH_ENTRY_VERSION, type CashEntryKind, type CashEntryStatus } from './cash-entry.ts';

export interface CashEntry {
  id: number;
  case_id: number;
  case_name: string;
  kind: CashEntryKind;
  amount_cents: number;
  memo: string;
  status: CashEntryStatus;
  recorded_by_name: string;
  recorded_at: Date;
  decided_by_name: string | null;
  decision_reason: string | null;
  /** Must be sent with a decision (PERSON-6). */
  version: string;
  is_own: boolean;
  /** True if someone else could confirm it now (DEPOSIT-5). */
  has_second: boolean;
}

const MAKER = sql`array[e.recorded_by]`;

/** A condition: someone with `make_payments` sees the case and is a different person from the one who recorded the entry. */
const HAS_SECOND = sql`exists (
  select from user_account u where u.user_type = 'admin' and u.status = 'active' and ${adminHasPermission(sql`u.id`, 'make_payments')}
     and ${caseIsVisibleToAdmin(sql`u.id`)} and ${canBeSecondPerson(sql`u.id`, MAKER)})`;

function select(db: Executor, reader: User, conditions: readonly Sql[], end: Sql): Promise<CashEntry[]> {
  return query<CashEntry>(
    db,
    sql`select e.id, e.case_id, c.name as case_name, e.kind, e.amount_cents, e.memo, e.status, e.recorded_at,
               e.decision_reason, ${fullName(sql`maker`)} as recorded_by_name, ${fullName(sql`checker`)} as decided_by_name,
               ${CASH_ENTRY_VERSION} as version, ${isPersonAmong(reader.id, MAKER)} as is_own,
               ${HAS_SECOND} as has_second
          from cash_entry e join case_file c on c.id = e.case_id join user_account maker on maker.id = e.recorded_by
          left join user_account checker on checker.id = e.decided_by
         where ${allOf([caseIsVisible(reader), ...conditions])} ${end}`,
  );
}

/** Lists the oldest entries that this reader may confirm: of cases that they see, and recorded by another person. */
export function listWaitingCashEntries(db: Executor, reader: User, limit: number): Promise<CashEntry[]> {
  const conditions = [sql`e.status = 'waiting'`, canBeSecondPerson(reader.id, MAKER)];
  return select(db, reader, conditions, sql`order by e.id ${limitTo(limit)}`);
}

const REFUSED_SHOWN_DAYS = 14;
const SHOWN = 100;

/** Lists a case's waiting and recently refused entries; empty for a reader who does not see the case. */
export function listCaseCashEntries(db: Executor, reader: User, caseId: number): Promise<CashEntry[]> {
  const isShown = sql`(e.status = 'waiting'
    or (e.status = 'refused' and e.decided_at > now() - make_interval(days => ${REFUSED_SHOWN_DAYS})))`;
  return select(db, reader, [sql`e.case_id = ${caseId}`, isShown], sql`order by e.id desc ${limitTo(SHOWN)}`);
}
