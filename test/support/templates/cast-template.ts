import { argon2Sync, randomBytes } from 'node:crypto';
import { createDatabase } from '@case-platform/lib/database';
import { hashDemoPasswords, seedCast } from '../../../scripts/demo/seed-cast.ts';
import { addCategories } from '../categories.ts';
import { TEMPLATE, TEST_SECRETS } from '../database.ts';
import { makeTemplate } from './make-template.ts';

/** Makes the migrated template database that each test file clones. It runs once before the tests. */
await makeTemplate(TEMPLATE, async (pool) => {
  const hashes = await hashDemoPasswords(hashCheaply);
  const { caseIds } = await createDatabase(pool).transaction((tx) => seedCast(tx, TEST_SECRETS.encryptionKey, hashes));
  await addCategories(pool, caseIds);
});

/**
 * Hashes with the least memory that argon2 accepts. A hash contains its settings, and with those of the platform each of the many
 * passwords that tests enter would take 20 ms.
 */
async function hashCheaply(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = argon2Sync('argon2id', { message: password, nonce, parallelism: 1, tagLength: 32, memory: 8, passes: 1 });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
}
