import type { Config } from '@case-platform/lib/config';
import { createPool } from '@case-platform/lib/database';
import { createReplicaReads, LAG_MAX_MS } from '@case-platform/lib/database/replica-reads';
import type pg from 'pg';
import { type Finding, ok, reasonOf, warn } from './finding.ts';

/** Checks that the replica, if there is one, would be used (SCALE-5). Without it, the platform still works. */
export async function checkReplica({ databaseReplicaUrl: url }: Config, primary: pg.Pool): Promise<Finding> {
  if (url === undefined) return ok('replica', 'No replica is used.');
  const replica = createPool({ url, name: 'doctor', max: 1, onError: () => {} });
  const reads = createReplicaReads({ primary, replica, log: { info: () => {}, warn: () => {} } });
  try {
    await reads.catchUp();
    return ok('replica', `It has what the primary had ${LAG_MAX_MS / 1000} seconds ago.`);
  } catch (error) {
    return warn('replica', `It is not used: ${reasonOf(error)}.`, 'See "A replica" in docs/operations.md.');
  } finally {
    reads.stop();
    await replica.end();
  }
}
