import type { Database, Transaction } from '@case-platform/lib/database';
import { type EncryptionKey, reencrypt, type SealedKind } from '@case-platform/lib/encryption';
import { query, sql, trustedSql } from '@case-platform/lib/sql';

interface SealedColumn {
  table: string;
  column: string;
  kind: SealedKind;
  /** An SQL expression for the context that a value is bound to. */
  context: string;
  /** The name and type of the column that identifies a row. */
  key?: readonly [name: string, type: string];
}

/** Every encrypted column that is encrypted again with a new key. A new encrypted column is added here. */
const COLUMNS: readonly SealedColumn[] = [
  { table: 'user_account', column: 'two_factor_secret', kind: 'totp secret', context: `'user:' || id` },
  {
    table: 'tfa_challenge',
    column: 'new_secret',
    kind: 'totp secret',
    context: `'user:' || user_id`,
    key: ['id', 'uuid'],
  },
  { table: 'payee_bank_account', column: 'account_number', kind: 'bank account number', context: `'user:' || user_id` },
  { table: 'payee_bank_account', column: 'correction', kind: 'bank account number', context: `'user:' || user_id` },
  {
    table: 'bank_profile',
    column: 'offset_account_number',
    kind: 'bank account number',
    context: `'originating bank'`,
    key: ['singleton', 'boolean'],
  },
  { table: 'banking_batch', column: 'file', kind: 'bank file', context: `'batch:' || id` },
];

const ROWS_A_STEP = 100;

/** The results of a run, as counts. */
export interface Rotation {
  sealed: number;
  /** Return files that wait for a decision; they are encrypted with the previous key until then. */
  waitingFiles: number;
  /** People with backup codes. Only hashes of the codes are stored, so they cannot be encrypted again. */
  peopleWithCodes: number;
}

/**
 * Encrypts with the current secret everything that the previous one encrypted (OPERATE-3), a hundred rows in a transaction, so
 * that no one waits. Rows that are already done are skipped, so an interrupted run can be started again.
 * @throws when a value cannot be decrypted with either secret.
 */
export async function reencryptAll(db: Database, secret: EncryptionKey): Promise<Rotation> {
  let sealed = 0;
  for (const column of COLUMNS) {
    let after: string | null = null;
    do {
      const step = await db.transaction((tx) => reencryptStep(tx, secret, column, after));
      sealed += step.sealed;
      after = step.last;
    } while (after !== null);
  }
  const files = await query<{ content: Buffer; sha256: string }>(
    db,
    sql`select content, encode(file_sha256, 'hex') as sha256 from bank_return_file where content is not null`,
  );
  const waiting = files.filter(({ content, sha256 }) => reencrypt(secret, 'bank return file', content, sha256) !== null);
  const [codes] = await query<{ people: number }>(
    db,
    sql`select count(distinct user_id)::int as people from backup_code where used_at is null`,
  );
  return { sealed, waitingFiles: waiting.length, peopleWithCodes: codes?.people ?? 0 };
}

async function reencryptStep(
  tx: Transaction,
  secret: EncryptionKey,
  { key: [name, type] = ['id', 'bigint'], kind, ...at }: SealedColumn,
  after: string | null,
): Promise<{ sealed: number; last: string | null }> {
  const [table, column, context, key] = [at.table, at.column, at.context, name].map(trustedSql);
  if (!table || !column || !context || !key) throw new Error('a sealed column needs a table, a column, a context, and a key');
  // The account of an erased person is empty, so there is nothing to encrypt.
  const rows = await query<{ key: string; value: Buffer; context: string }>(
    tx,
    sql`select ${key}::text as key, ${column} as value, ${context} as context from ${table}
         where length(${column}) > 0 and (${after}::text is null or ${key} > ${after}::${trustedSql(type)})
         order by ${key} limit ${ROWS_A_STEP} for no key update`,
  );
  let sealed = 0;
  for (const row of rows) {
    const value = reencryptRow(secret, kind, row, `${at.table}.${at.column}`);
    if (value === null) continue;
    await query(tx, sql`update ${table} set ${column} = ${value} where ${key} = ${row.key}::${trustedSql(type)}`);
    sealed += 1;
  }
  return { sealed, last: rows.length < ROWS_A_STEP ? null : (rows.at(-1)?.key ?? null) };
}

function reencryptRow(
  secret: EncryptionKey,
  kind: SealedKind,
  { key, value, context }: { key: string; value: Buffer; context: string },
  place: string,
): Buffer | null {
  try {
    return reencrypt(secret, kind, value, context);
  } catch (cause) {
    throw new Error(`Neither ENCRYPTION_KEY nor ENCRYPTION_KEY_PREVIOUS opens ${place} of ${key}.`, { cause });
  }
}
