import { parseArgs } from 'node:util';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { createDatabase, createPool } from '@case-platform/lib/database';
import { refuseToStart } from '@case-platform/lib/process';
import { createAdministrator, invitationAddress, synchronisePermissions } from '@case-platform/modules/accounts';

const USAGE = 'npm run create-admin -- --email name@example.com --name "First Last" [--another]';

/** `npm run create-admin`: invites an installation's first administrator (OPERATE-1). */
try {
  const { email, name, another } = readArguments();
  const config = loadConfigWithDatabase('create-admin');
  const pool = createPool({ url: config.databaseDirectUrl, name: 'create-admin', max: 2 });
  try {
    const db = createDatabase(pool);
    await synchronisePermissions(db);
    const invited = await createAdministrator(db, { email, name, another }, { now: new Date(), urls: config });
    process.stdout.write(
      `${invited.user.email_address} is invited as an administrator. Within seven days this sets their password, once:\n` +
        `${invitationAddress(invited, config.webUrl)}\n` +
        `They then sign in at ${config.adminUrl}/login.\n`,
    );
  } finally {
    await pool.end();
  }
} catch (error) {
  refuseToStart(asAdvice(error));
}

function readArguments() {
  const options = { email: { type: 'string' }, name: { type: 'string' }, another: { type: 'boolean' } } as const;
  try {
    const { email, name, another = false } = parseArgs({ options }).values;
    if (email !== undefined && name !== undefined) return { email, name, another };
  } catch {
    // Whatever is unknown or lacks its value: the line below says what is known.
  }
  throw new Error(`Use: ${USAGE}`);
}

/** A database without our tables has not been prepared yet. */
function asAdvice(error: unknown): unknown {
  const isBare = (error as { code?: string }).code === '42P01';
  return isBare ? new Error('The database has no tables yet: run `node scripts/start/prepare.ts` first.') : error;
}
