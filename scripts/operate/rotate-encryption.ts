import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { exitWithError } from '@case-platform/lib/process';
import { reencryptAll } from './encryption/reencrypt-all.ts';

/** `npm run rotate-encryption`: encrypts with ENCRYPTION_KEY what ENCRYPTION_KEY_PREVIOUS encrypted (OPERATE-3). */
try {
  const config = loadConfigWithDatabase('rotate-encryption');
  const pool = createPool({ url: config.databaseDirectUrl, name: 'rotate-encryption', max: 1 });
  try {
    const { sealed, waitingFiles, peopleWithCodes } = await reencryptAll(createDatabase(pool), config.encryptionKeys);
    process.stdout.write(
      [
        `${sealed} values were encrypted again. All values that can be are now encrypted with ENCRYPTION_KEY.`,
        ...(waitingFiles > 0
          ? [`${waitingFiles} return files wait for a decision and need ENCRYPTION_KEY_PREVIOUS until then.`]
          : []),
        ...(peopleWithCodes > 0
          ? [`${peopleWithCodes} people have backup codes. Older codes work only while ENCRYPTION_KEY_PREVIOUS is set.`]
          : []),
        '',
      ].join('\n'),
    );
  } finally {
    await pool.end();
  }
} catch (error) {
  exitWithError(error);
}
