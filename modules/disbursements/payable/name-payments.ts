import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';

/** A description can have 2,000 characters; a sentence names its beginning. */
const PURPOSE_MAX = 60;

export interface NamedPayment {
  id: number;
  description: string;
  category: string;
  amount_cents: number;
  payee_name: string;
}

/** Lists what each of these payments is for and whom it pays, by request id. The caller has checked access to them. */
export async function listNamedPayments(db: Executor, ids: readonly number[]): Promise<ReadonlyMap<number, NamedPayment>> {
  const rows = await query<NamedPayment>(
    db,
    sql`select d.id, d.description, d.category, d.amount_cents, ${fullName(sql`u`)} as payee_name
          from disbursement_request d join user_account u on u.id = d.payee_id where d.id = any(${ids}::bigint[])`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Names payments in sentences, by request id: “Train to the clinic” ($412.36 to Sarah Lindgren). Unknown ids are left out. */
export async function namePayments(db: Executor, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = [...(await listNamedPayments(db, ids)).values()];
  return new Map(rows.map((row) => [row.id, `“${purposeOf(row)}” (${moneyWords(row.amount_cents)} to ${row.payee_name})`]));
}

function purposeOf({ description, category }: NamedPayment): string {
  const letters = [...(description.split('\n', 1)[0] || sentence(category))];
  return letters.length <= PURPOSE_MAX
    ? letters.join('')
    : `${letters
        .slice(0, PURPOSE_MAX - 1)
        .join('')
        .trimEnd()}…`;
}
