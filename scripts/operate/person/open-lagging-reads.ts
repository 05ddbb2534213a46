import type { Config } from '@case-platform/lib/config';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { createReplicaReads, type ReadLagging, readPrimary } from '@case-platform/lib/database/replica-reads';
import type pg from 'pg';

/** Opens the replica, if there is one that can be used, for a long read that should not burden the primary (SCALE-5). */
export async function openLaggingReads(
  { databaseReplicaUrl: url }: Pick<Config, 'databaseReplicaUrl'>,
  primary: pg.Pool,
  limitMs: number,
): Promise<{ read: ReadLagging; close: () => Promise<void> }> {
  if (url === undefined) return { read: readPrimary(createDatabase(primary)), close: async () => {} };
  const replica = createPool({ url, name: 'export-person', max: 2, limitMs });
  const { read, catchUp, stop } = createReplicaReads({ primary, replica, log: { info: () => {}, warn: () => {} } });
  await catchUp().catch(({ message }) => process.stderr.write(`The primary is read: ${message}.\n`));
  const close = () => {
    stop();
    return replica.end();
  };
  return { read, close };
}
