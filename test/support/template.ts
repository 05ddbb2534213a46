import { randomBytes } from 'node:crypto';
import { grantToApplication } from '@case-platform/db/grant';
import { migrate } from '@case-platform/db/migrate';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { synchronisePermissions } from '@case-platform/modules/permissions';
import { hashDemoPasswords, seedCast } from '../../scripts/demo/seed-cast.ts';
import { applicationUrl, serverUrl, TEMPLATE, TEST_SECRETS, withServer } from './database.ts';

/** Makes the migrated template database that each test file clones: run once before the tests. */
await withServer(async (server) => {
  await server.query(`drop database if exists "${TEMPLATE}" with (force)`);
  await server.query(`create database "${TEMPLATE}"`);
});
const pool = createPool({ url: serverUrl(TEMPLATE), name: `template-${randomBytes(2).toString('hex')}`, max: 2 });
await migrate(pool);
const db = createDatabase(pool);
await grantToApplication(pool, applicationUrl(TEMPLATE));
await synchronisePermissions(db);
const hashes = await hashDemoPasswords();
await db.transaction((tx) => seedCast(tx, TEST_SECRETS.encryptionKey, hashes));
await pool.end();
