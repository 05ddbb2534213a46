import { createDatabase } from '@case-platform/lib/database';
import { hashDemoPasswords, seedCast } from '../../../scripts/demo/seed-cast.ts';
import { addCategories } from '../categories.ts';
import { TEMPLATE, TEST_SECRETS } from '../database.ts';
import { makeTemplate } from './make-template.ts';

/** Makes the migrated template database that each test file clones. It runs once before the tests. */
await makeTemplate(TEMPLATE, async (pool) => {
  const hashes = await hashDemoPasswords();
  const { caseIds } = await createDatabase(pool).transaction((tx) => seedCast(tx, TEST_SECRETS.encryptionKey, hashes));
  await addCategories(pool, caseIds);
});
