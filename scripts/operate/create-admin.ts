import { parseArgs } from 'node:util';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { exitWithError } from '@case-platform/lib/process';
import { createAdministrator, invitationAddress, syncPermissions } from '@case-platform/modules/accounts';

const USAGE = 'npm run create-admin -- --email name@example.com --name "First Last" [--another]';

/** `npm run create-admin`: invites an installation's first administrator (OPERATE-1). */
try {
  const { email, name, another } = readArguments();
  const config = loadConfigWithDatabase('create-admin');
  const pool = createPool({ url: config.databaseDirectUrl, name: 'create-admin', max: 2 });
  try {
    const db = createDatabase(pool);
    await syncPermissions(db);
    const invited = await createAdministrator(db, { email, name, another }, config, new Date());
    process.stdout.write(
      `${invited.user.email_address} is invited as an administrator. This link sets their password, once and within seven days:\n` +
        `${invitationAddress(invited, config.webUrl)}\n` +
        `They then sign in at ${config.adminUrl}/login.\n`,
    );
  } finally {
    await pool.end();
  }
} catch (error) {
  exitWithError(asAdvice(error));
}

function readArguments() {
  const options = { email: { type: 'string' }, name: { type: 'string' }, another: { type: 'boolean' } } as const;
  try {
    const { email, name, another = false } = parseArgs({ options }).values;
    if (email !== undefined && name !== undefined) return { email, name, another };
  } catch {
    // The usage below answers unknown arguments and missing values.
  }
  throw new Error(`Use: ${USAGE}`);
}

/** Explains that a database without our tables was not prepared yet. */
function asAdvice(error: unknown): unknown {
  const isBare = (error as { code?: string }).code === '42P01';
  return isBare ? new Error('The database has no tables yet. Run `node scripts/start/prepare.ts` first.') : error;
}
