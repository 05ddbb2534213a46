import { type Sql, sql, trustedSql } from '@case-platform/lib/sql';
import { fullName } from '@case-platform/modules/accounts';

/** An expression on an alias of `user_account`: `{user_type, user_id, name}`, or null without a row. */
export function personJson(alias: string): Sql {
  const u = trustedSql(alias);
  return sql`case when ${u}.id is not null then json_build_object(
    'user_type', ${u}.user_type, 'user_id', ${u}.id,
    'name', ${fullName(u)}) end`;
}
