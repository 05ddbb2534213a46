import { BACKUP_LOCK } from '@case-platform/lib/database/backup-lock';
import type pg from 'pg';

/** Whoever needs the lock for a moment has it for much less. */
const LOCK_WITHIN = '10s';

/** What is read while a backup is taken. */
export interface Snapshot {
  client: pg.PoolClient;
  /** Ends the snapshot; what its rows name is kept further on. */
  end(): Promise<void>;
  /** @throws when objects may have been removed since the snapshot. */
  refuseIfLost(): Promise<void>;
}

/**
 * Reads the database as it is at one moment. From before that moment until the work has ended, nothing removes objects that
 * rows have named (`backup-lock.ts`): what the snapshot names is still there to be copied.
 * @throws when another backup of this database is under way.
 */
export async function readSnapshot<Result>(
  pool: pg.Pool,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query(`set idle_in_transaction_session_timeout = 0; set lock_timeout = '${LOCK_WITHIN}'`);
    await client.query('select pg_advisory_lock($1)', [BACKUP_LOCK]).catch((error) => {
      throw error.code === '55P03' ? new Error('Another backup of this database is under way.') : error;
    });
    await client.query('begin isolation level repeatable read, read only');
    return await work({
      client,
      end: async () => void (await client.query('commit')),
      refuseIfLost: async () => {
        await client.query('select').catch((cause) => {
          throw new Error('The connection that kept files from being removed was lost: take the backup again.', {
            cause,
          });
        });
      },
    });
  } finally {
    // With its connection the lock goes, however this has ended.
    client.release(true);
  }
}
