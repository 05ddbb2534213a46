import { BACKUP_LOCK } from '@case-platform/lib/database/backup-lock';
import type pg from 'pg';

/** Others hold the lock only for a moment, and much less than this. */
const LOCK_WITHIN = '10s';

/** The database as it is read for a backup. */
export interface Snapshot {
  client: pg.PoolClient;
  /** Ends the snapshot. Objects that its rows refer to are still kept. */
  end(): Promise<void>;
  /** @throws if objects may have been removed since the snapshot. */
  requireLock(): Promise<void>;
}

/**
 * Reads the database as it is at one moment. From before that moment until the work has ended, no objects that rows refer to are
 * removed (`backup-lock.ts`), so that everything in the snapshot can still be copied.
 * @throws if another backup of this database is under way.
 */
export async function readSnapshot<Result>(pool: pg.Pool, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
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
      requireLock: async () => {
        await client.query('select').catch((cause) => {
          throw new Error('The connection that kept files from being removed was lost: take the backup again.', {
            cause,
          });
        });
      },
    });
  } finally {
    // Closing the connection releases the lock, however the work has ended.
    client.release(true);
  }
}
