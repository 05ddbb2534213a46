import { describe, test } from 'node:test';
import { DomainError } from '@case-platform/lib/errors';
import { createTestDatabase } from '../support/database.ts';
import { watchRows } from '../support/row-changes.ts';
import { undone } from '../support/undone.ts';
import { committedLines, spreadIds, valueWords, watchLocks, writeLocks } from '../support/written-values.ts';
import { ACCOUNT_COMMANDS } from './account-commands.ts';
import { CASE_COMMANDS } from './case-commands.ts';
import type { Command } from './command.ts';
import { MESSAGING_COMMANDS } from './messaging-commands.ts';
import { NOTICE_COMMANDS } from './notice-commands.ts';
import { PERMISSION_COMMANDS } from './permission-commands.ts';
import { REQUEST_COMMANDS } from './request-commands.ts';
import { seedTwins } from './seed-twins.ts';
import { TASK_COMMANDS } from './task-commands.ts';

/**
 * Every command of accounts, permissions, messaging, notifications, and cases changes only its own rows, and none of another
 * person, case, conversation, channel, device, or grant in the same state (API-7). Each runs in a transaction that is rolled
 * back.
 */

const database = await createTestDatabase();
const { db, pool } = database;
await spreadIds(database);
const changes = await watchRows(db);
const locks = watchLocks(pool);
const twins = await db.transaction(seedTwins);
/** The twins have no times that are the same in every run. */
const NOT_EXACT = { timesBefore: new Date(0), daysBefore: '' };
const compareValues = committedLines(new URL('values.txt', import.meta.url));

/** Lists the rows that each run changes, with all values that it writes, and the locks that it takes. */
async function run({ prepare, work, runs = 1 }: Command): Promise<string[]> {
  const values: string[] = [];
  const words = valueWords(twins.names, NOT_EXACT);
  await undone(db, async (tx) => {
    await prepare?.(tx, twins);
    for (let round = 0; round < runs; round++) {
      let refusal: string[] = [];
      const attempt = () =>
        work(tx, twins, round).catch((error) => {
          if (!(error instanceof DomainError)) throw error;
          refusal = [`refused: ${error.code}`];
        });
      const { changed, taken } = await locks.during(() => changes.during(tx, attempt));
      values.push(`run ${round + 1}`, ...refusal, ...changed.values(words, twins.names), ...writeLocks(taken, words));
    }
  });
  return values;
}

for (const [area, commands] of Object.entries({
  accounts: ACCOUNT_COMMANDS,
  'roles and agencies': PERMISSION_COMMANDS,
  conversations: MESSAGING_COMMANDS,
  'notifications and files': NOTICE_COMMANDS,
  cases: CASE_COMMANDS,
  'tasks of the worker': TASK_COMMANDS,
  requests: REQUEST_COMMANDS,
}))
  describe(`[API-7] ${area}: a command changes its own rows and no row of a neighbor`, () => {
    for (const command of commands) test(command.name, async () => compareValues(`${area}: ${command.name}`, await run(command)));
  });
