import type { Executor } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { messageIsUnread, visibleChains } from './chain-access.ts';

export interface CaseActivity {
  unread_count: number;
  last_message_at: Date;
}

/** Counts what is unread for a user in each of these cases, and finds the latest message, in the chains that they see. */
export async function listCaseActivity(
  db: Executor,
  user: Pick<User, 'id' | 'user_type'>,
  caseIds: readonly number[],
): Promise<ReadonlyMap<number, CaseActivity>> {
  if (caseIds.length === 0) return new Map();
  const ofTheseCases = sql`c.case_id = any(${[...new Set(caseIds)]}::bigint[])`;
  const rows = await query<CaseActivity & { case_id: number }>(
    db,
    sql`select c.case_id, max(c.last_message_at) as last_message_at,
            sum((select count(*) from message m where m.chain_id = c.id and ${messageIsUnread(user)}))::int as unread_count
       from (${visibleChains(user, { conditions: [ofTheseCases] })}) seen join message_chain c on c.id = seen.id
      group by c.case_id`,
  );
  return new Map(rows.map(({ case_id, ...activity }) => [case_id, activity]));
}
