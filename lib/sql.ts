import { type NamedText, nameStatement } from './database/statement-name.ts';

/** The types of parameters. Undefined is not one of them, because it would silently become null. */
export type SqlParameter = string | number | boolean | bigint | Date | Uint8Array | null | readonly SqlParameter[];

/**
 * A piece of SQL with its parameters. Pieces can be part of other pieces: parameters are numbered when the whole statement runs,
 * so that no piece needs to know its position.
 */
export class Sql {
  /** The texts around the values: one more than those. */
  readonly #strings: readonly string[];
  readonly #values: readonly (Sql | SqlParameter)[];

  constructor(strings: readonly string[], values: readonly (Sql | SqlParameter)[]) {
    const at = values.indexOf(undefined as never);
    if (at >= 0) throw new TypeError(`undefined is not a parameter: after "${strings[at]}"`);
    this.#strings = strings;
    this.#values = values;
  }

  /** The text for PostgreSQL, with `$1`, `$2` for the parameters in their order. */
  get text(): string {
    return this.#append('', []);
  }

  get parameters(): readonly SqlParameter[] {
    return this.whole().parameters;
  }

  /** Text and parameters, for a statement that runs. */
  whole(): { text: string; parameters: SqlParameter[] } {
    const parameters: SqlParameter[] = [];
    return { text: this.#append('', parameters), parameters };
  }

  /** Appends this piece to a text, and its parameters to the earlier ones. */
  #append(before: string, parameters: SqlParameter[]): string {
    let text = before + this.#strings[0];
    for (let at = 0; at < this.#values.length; at++) {
      const value = this.#values[at] as Sql | SqlParameter;
      if (value instanceof Sql) text = value.#append(text, parameters);
      else text += `$${parameters.push(value)}`;
      text += this.#strings[at + 1];
    }
    return text;
  }

  /** @throws {TypeError} always: in a plain text a piece would lose its parameters. */
  toString(): never {
    throw new TypeError(`a piece of SQL in a plain text: "${this.text}"`);
  }
}

/** Makes SQL from a template. Each value is a parameter, or a piece of SQL that brings its own. */
export function sql(strings: TemplateStringsArray, ...values: (Sql | SqlParameter)[]): Sql {
  return new Sql(strings, values);
}

/** SQL from our own text, such as the name of a column, and never from user input. */
export function trustedSql(text: string): Sql {
  return new Sql([text], []);
}

export const NO_SQL = trustedSql('');

function joinSql(pieces: readonly Sql[], separator: string): Sql {
  return new Sql(['', ...pieces.slice(1).map(() => separator), ''], pieces);
}

/** Any of the conditions; false if there are none. */
export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : sql`(${joinSql(conditions, '\n  or ')})`;
}

/** All of the conditions; true if there are none. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : joinSql(conditions, ' and ');
}

/** True if the column has one of the values. One value is compared with `=`, for which an index also gives the order. */
export function isOneOf(column: Sql, values: string | readonly string[]): Sql {
  const [first = null, ...rest] = [values].flat();
  return rest.length === 0 ? sql`${column} = ${first}` : sql`${column} = any(${[first, ...rest]})`;
}

/**
 * `limit` with its number in the text. A statement is planned once for all values of its parameters (`database-client.ts`), and
 * for an unknown number of rows PostgreSQL expects a tenth of the table. Each number makes another prepared statement, so pages
 * have few sizes (`rowsFor`).
 * @throws {TypeError} unless it is a whole number.
 */
export function limitTo(rows: number): Sql {
  if (!Number.isSafeInteger(rows)) throw new TypeError(`${rows} is not a number of rows`);
  return trustedSql(`limit ${rows}`);
}

/** The number of rows to read for a page: at least one more, which shows that there is another page. */
export function rowsFor(page: number): number {
  return [2, 6, 11, 26, 51, 101].find((rows) => rows > page) ?? page + 1;
}

/** The rows of all statements, without duplicates. */
export function unionOf(statements: readonly Sql[]): Sql {
  return joinSql(statements, '\n union ');
}

/** Expressions of a `select`, or assignments of an update. */
export function listOf(expressions: readonly Sql[]): Sql {
  return joinSql(expressions, ', ');
}

/** Anything that runs statements: the database, a transaction, a pool, or a connection. */
export interface Executor {
  query(statement: NamedText & { values: SqlParameter[] }): Promise<{ rows: unknown[] }>;
}

/**
 * Runs a statement, prepared under the name of the function that runs it. The name is also in the text, so that
 * `send-message.listMembers` can be found in pg_stat_statements, pg_stat_activity, and the server's log.
 */
export async function query<Row>(db: Executor, statement: Sql): Promise<Row[]> {
  const { text, parameters } = statement.whole();
  const named = nameStatement(text);
  const { rows } = await db.query({ name: named.name, text: named.text, values: parameters });
  return rows as Row[];
}
