import { type Sql, sql } from '@case-platform/lib/sql';

/** An expression: the codes that the bank sent about a batch entry and that changed nothing, as an array (RETURN-9). */
export function notedCodes(entryId: Sql): Sql {
  return sql`coalesce((select json_agg(distinct r.code) from bank_return_entry r
                        where r.batch_entry_id = ${entryId} and r.outcome = 'noted'), '[]')`;
}
