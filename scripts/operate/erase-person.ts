import { parseArgs } from 'node:util';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { exitWithError } from '@case-platform/lib/process';
import { erasePerson } from './person/erase-person.ts';
import { readUserId } from './person/find-records.ts';

const USAGE = 'npm run erase-person -- --user ID';
/** Erasing searches every text of the database. */
const ERASE_WITHIN_MS = 3_600_000;

/** `npm run erase-person`: deletes a person's data; what must be kept gets a pseudonym (PRIVACY-2). */
try {
  const userId = readUserId(readUser(), USAGE);
  const config = loadConfigWithDatabase('erase-person');
  const url = config.migrationDatabaseUrl ?? config.databaseDirectUrl;
  const pool = createPool({ url, name: 'erase-person', max: 1, limitMs: ERASE_WITHIN_MS });
  try {
    const erased = await erasePerson(createDatabase(pool), userId, new Date());
    process.stdout.write(
      erased === null
        ? `User ${userId} was already erased.\n`
        : `Erased user ${erased.ids.join(' and ')}: ${erased.messages} messages are empty, the worker removes ${erased.files} files, ` +
            `${erased.replaced} rows of other people name Person ${erased.ids[0]} now.\n`,
    );
  } finally {
    await pool.end();
  }
} catch (error) {
  exitWithError(error);
}

function readUser(): string | undefined {
  try {
    return parseArgs({ options: { user: { type: 'string' } } }).values.user;
  } catch {
    return undefined;
  }
}
