import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Transaction } from '@case-platform/lib/database';
import { DomainError } from '@case-platform/lib/errors';
import { createTestDatabase } from '../support/database.ts';
import { watchRows } from '../support/row-changes.ts';
import { ACCOUNT_COMMANDS } from './account-commands.ts';
import { CASE_COMMANDS } from './case-commands.ts';
import type { Command } from './command.ts';
import { MESSAGING_COMMANDS } from './messaging-commands.ts';
import { NOTICE_COMMANDS } from './notice-commands.ts';
import { PERMISSION_COMMANDS } from './permission-commands.ts';
import { seedTwins } from './seed-twins.ts';

/**
 * Every command of accounts, permissions, messaging, notifications, and cases changes only its own rows, and none of another
 * person, case, conversation, channel, device, or grant in the same state (API-7). Each runs in a transaction that is rolled
 * back.
 */

const { db } = await createTestDatabase();
const changes = await watchRows(db);
const twins = await db.transaction(seedTwins);

/** Runs a command. @returns one list of changes for each run. */
async function run({ prepare, work, expected }: Command): Promise<string[][]> {
  const undone = new Error('undone');
  const lists: string[][] = [];
  const inTransaction = async (tx: Transaction) => {
    await prepare?.(tx, twins);
    for (const round of expected.keys()) {
      let refusal: string[] = [];
      const attempt = () =>
        work(tx, twins, round).catch((error) => {
          if (!(error instanceof DomainError)) throw error;
          refusal = [`refused: ${error.code}`];
        });
      lists.push([...(await changes.during(tx, twins.names, attempt)), ...refusal].sort());
    }
    throw undone;
  };
  await db.transaction(inTransaction).catch((error) => {
    if (error !== undone) throw error;
  });
  return lists;
}

for (const [area, commands] of Object.entries({
  accounts: ACCOUNT_COMMANDS,
  'roles and agencies': PERMISSION_COMMANDS,
  conversations: MESSAGING_COMMANDS,
  'notifications and files': NOTICE_COMMANDS,
  cases: CASE_COMMANDS,
}))
  describe(`[API-7] ${area}: a command changes its own rows and no row of a neighbor`, () => {
    for (const command of commands)
      test(command.name, async () => {
        assert.deepEqual(
          await run(command),
          command.expected.map((lines) => [...lines].sort()),
        );
      });
  });
