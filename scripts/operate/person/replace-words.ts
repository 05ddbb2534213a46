import type { Transaction } from '@case-platform/lib/database';
import { anyOf, listOf, query, type Sql, sql, trustedSql } from '@case-platform/lib/sql';
import type { PersonRecord } from './find-records.ts';

/** Patterns for PostgreSQL that match a person's names and addresses in a text. */
interface Patterns {
  /** Addresses, phone numbers, and the full name, in upper or lower case. */
  anyCase: string;
  /** A first or last name that no one else has, in its exact case. */
  exact: string | null;
}

/**
 * Replaces a person's names, addresses, and phone numbers by a pseudonym in every text column of every table (PRIVACY-2). The
 * columns are read from the database, so that a new one cannot be forgotten.
 * @returns the number of changed rows.
 */
export async function replaceWords(
  tx: Transaction,
  records: readonly PersonRecord[],
  formerAddresses: readonly string[],
  pseudonym: string,
): Promise<number> {
  const patterns = await findPatterns(tx, records, formerAddresses);
  let count = 0;
  for (const { table, columns } of await listTexts(tx)) {
    const clean = (column: Sql) => {
      const once = sql`regexp_replace(${column}::text, ${patterns.anyCase}, ${pseudonym}, 'gi')`;
      return patterns.exact === null ? once : sql`regexp_replace(${once}, ${patterns.exact}, ${pseudonym}, 'g')`;
    };
    const holds = ({ name }: TextColumn) => {
      const column = trustedSql(name);
      const exact = patterns.exact === null ? sql`false` : sql`${column}::text ~ ${patterns.exact}`;
      return sql`${column}::text ~* ${patterns.anyCase} or ${exact}`;
    };
    const assignments = columns.map(({ name, type }) => {
      const column = trustedSql(name);
      return sql`${column} = ${clean(column)}::${trustedSql(type)}`;
    });
    const rows = await query(
      tx,
      sql`with changed as (update ${trustedSql(table)} set ${listOf(assignments)}
                            where ${anyOf(columns.map(holds))} returning 1) select from changed`,
    );
    count += rows.length;
  }
  return count;
}

async function findPatterns(
  tx: Transaction,
  records: readonly PersonRecord[],
  formerAddresses: readonly string[],
): Promise<Patterns> {
  const addresses = [...records.map(({ email_address }) => email_address), ...formerAddresses];
  const phones = records.flatMap(({ phone, proved_phones }) => [phone, ...proved_phones]);
  const names = records.map(({ first_name, last_name }) => `${first_name} ${last_name}`.trim());
  const anyCase = [
    ...addresses.map(literal),
    ...phones.filter((phone) => phone !== null).map(phonePattern),
    ...names.filter((name) => name.includes(' ')).map(wholeWords),
  ];
  const words = records.flatMap(({ first_name, last_name }) => [first_name, last_name]);
  const unique = await listUniqueWords(tx, [...new Set(words)], records);
  return {
    anyCase: `(${anyCase.join('|')})`,
    exact: unique.length === 0 ? null : `(${unique.map(wholeWords).join('|')})`,
  };
}

/** A name that someone else has as well does not identify this person, and stays. */
async function listUniqueWords(tx: Transaction, words: string[], records: readonly PersonRecord[]): Promise<string[]> {
  const rows = await query<{ word: string }>(
    tx,
    sql`select word from unnest(${words}::text[]) word
         where length(word) > 1 and not exists (
           select from user_account u where u.id <> all(${records.map(({ id }) => id)}::bigint[])
              and lower(word) in (lower(u.first_name), lower(u.last_name)))`,
  );
  return rows.map(({ word }) => word);
}

const literal = (text: string) => text.replaceAll(/[^\p{L}\p{N}_]/gu, '\\$&');
/** Matches whole words only. The letter of an escaped line break in JSON does not count as part of a word. */
const wholeWords = (text: string) => `((?<![[:alnum:]_])|(?<=\\\\[nrt]))${literal(text)}(?![[:alnum:]_])`;

/** Matches any grouping of the digits: +12025550123, (202) 555-0123, 202.555.0123. */
function phonePattern(phone: string): string {
  const digits = phone.replace(/^\+1?/, '');
  return `(\\+|\\+?1[ ().-]*)?\\(?${[...digits].join('[ ().-]*')}(?!\\d)`;
}

interface TextColumn {
  name: string;
  type: string;
}

/** Columns with text or JSON, including those of the job queue. The people's own records are changed by id instead. */
async function listTexts(tx: Transaction): Promise<{ table: string; columns: TextColumn[] }[]> {
  return query(
    tx,
    sql`select format('%I.%I', n.nspname, c.relname) as table,
               json_agg(json_build_object('name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod))) as columns
          from pg_class c join pg_namespace n on n.oid = c.relnamespace
          join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         where c.relkind in ('r', 'p') and (n.nspname = 'public' or c.relname = '_private_jobs')
           and c.relname not in ('user_account', 'schema_migration')
           and a.atttypid in ('text'::regtype, 'varchar'::regtype, 'json'::regtype, 'jsonb'::regtype)
         group by n.nspname, c.relname order by 1`,
  );
}
