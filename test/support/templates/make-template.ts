import { grantToRoles } from '@case-platform/db/grant';
import { migrate } from '@case-platform/db/migrate';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { syncPermissions } from '@case-platform/modules/accounts';
import type pg from 'pg';
import { roleAddresses, serverUrl, withServer } from '../database.ts';

/** Creates a migrated database for cloning, with the data that `fill` adds. */
export async function makeTemplate(name: string, fill: (pool: pg.Pool) => Promise<unknown>): Promise<void> {
  await withServer(async (server) => {
    await server.query(`drop database if exists "${name}" with (force)`);
    await server.query(`create database "${name}"`);
  });
  const pool = createPool({ url: serverUrl(name), name: 'template', max: 2 });
  await migrate(pool);
  await grantToRoles(pool, roleAddresses(name));
  // Tests inspect and end connections of processes in their own roles.
  await pool.query('grant pg_read_all_stats, pg_signal_backend to case_platform_app');
  await syncPermissions(createDatabase(pool));
  await fill(pool);
  await pool.end();
}
