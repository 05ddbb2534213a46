import type { Kysely, Transaction } from 'kysely';
import type { DB } from './types.ts';

/** The migrated schema, for Kysely. */
export type Schema = DB;
/** The database, or a transaction in it. */
export type Database = Kysely<DB>;
export type DatabaseTransaction = Transaction<DB>;
