import { type NamedText, nameStatement } from './database/statement-name.ts';

/** What a statement can take as a parameter; never undefined, which would silently be null. */
export type SqlParameter = string | number | boolean | bigint | Date | Uint8Array | null | readonly SqlParameter[];

/**
 * A piece of SQL with its parameters in it. Pieces go into pieces: a parameter's number is given when the whole is run, so
 * that no piece knows, or can get wrong, where it will stand.
 */
export class Sql {
  /** One more than the parameters that stand between them. */
  readonly strings: readonly string[];
  readonly parameters: readonly SqlParameter[];

  constructor(strings: readonly string[], values: readonly (Sql | SqlParameter)[]) {
    const texts = [strings[0] ?? ''];
    const parameters: SqlParameter[] = [];
    const append = (text = '') => {
      texts[texts.length - 1] += text;
    };
    values.forEach((value, at) => {
      if (value === undefined) throw new TypeError(`undefined is no parameter: after "${strings[at]}"`);
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

  /** As PostgreSQL reads it: `$1`, `$2` in the order in which they stand. */
  get text(): string {
    return this.strings.reduce((text, piece, at) => `${text}$${at}${piece}`);
  }

  /** @throws {TypeError} always: in a plain text a piece would lose its parameters. */
  toString(): never {
    throw new TypeError(`a piece of SQL in a plain text: "${this.text}"`);
  }
}

/** SQL in the open: what is put in is a parameter, or a piece of SQL that carries its own. */
export function sql(strings: TemplateStringsArray, ...values: (Sql | SqlParameter)[]): Sql {
  return new Sql(strings, values);
}

/** SQL from a text of our own, such as the name of a column. Never what somebody typed. */
export function trustedSql(text: string): Sql {
  return new Sql([text], []);
}

export const NO_SQL = trustedSql('');

function joinSql(pieces: readonly Sql[], separator: string): Sql {
  return new Sql(['', ...pieces.slice(1).map(() => separator), ''], pieces);
}

/** Any of the conditions; none of them holds when there is none. */
export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : sql`(${joinSql(conditions, '\n  or ')})`;
}

/** All of the conditions; none asks for nothing. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : joinSql(conditions, ' and ');
}

/** What any of the statements finds, once. */
export function unionOf(statements: readonly Sql[]): Sql {
  return joinSql(statements, '\n union ');
}

/** Expressions of a `select`, or assignments of an update. */
export function listOf(expressions: readonly Sql[]): Sql {
  return joinSql(expressions, ', ');
}

/** What runs statements: the database, a transaction in it, a pool, a connection. */
export interface Executor {
  query(statement: NamedText & { values: SqlParameter[] }): Promise<{ rows: unknown[] }>;
}

/**
 * Runs a statement, prepared under the name of the function that runs it, which is also in its text: as
 * `send-message.listMembers` it is found again in pg_stat_statements, pg_stat_activity and the server's log.
 */
export async function query<Row>(db: Executor, { text, parameters }: Sql): Promise<Row[]> {
  const { rows } = await db.query({ ...nameStatement(text), values: [...parameters] });
  return rows as Row[];
}
