import { type NamedText, nameStatement } from './database/statement-name.ts';

/** The types of parameters. Undefined is not one of them, because it would silently become null. */
export type SqlParameter = string | number | boolean | bigint | Date | Uint8Array | null | readonly SqlParameter[];

/**
 * A piece of SQL with its parameters. Pieces can be part of other pieces: parameters are numbered when the whole statement runs,
 * so that no piece needs to know its position.
 */
export class Sql {
  /** The texts around the parameters: one more than those. */
  readonly strings: readonly string[];
  readonly parameters: readonly SqlParameter[];

  constructor(strings: readonly string[], values: readonly (Sql | SqlParameter)[]) {
    const texts = [strings[0] ?? ''];
    const parameters: SqlParameter[] = [];
    const append = (text = '') => {
      texts[texts.length - 1] += text;
    };
    values.forEach((value, at) => {
      if (value === undefined) throw new TypeError(`undefined is not a parameter: after "${strings[at]}"`);
      if (value instanceof Sql) {
        append(value.strings[0]);
        texts.push(...value.strings.slice(1));
        parameters.push(...value.parameters);
      } else {
        texts.push('');
        parameters.push(value);
      }
      append(strings[at + 1]);
    });
    this.strings = texts;
    this.parameters = parameters;
  }

  /** The text for PostgreSQL, with `$1`, `$2` for the parameters in their order. */
  get text(): string {
    return this.strings.reduce((text, piece, at) => `${text}$${at}${piece}`);
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
export async function query<Row>(db: Executor, { text, parameters }: Sql): Promise<Row[]> {
  const { rows } = await db.query({ ...nameStatement(text), values: [...parameters] });
  return rows as Row[];
}
