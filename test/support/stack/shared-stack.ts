import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { afterFiles, filesShareProcess } from '../../../scripts/test/file-suite.mjs';
import { eventually } from '../eventually.ts';
import { keepTables, putTablesBack } from './first-tables.ts';
import { type RealStack, startRealStack } from './real-stack.ts';

let shared: Promise<RealStack> | undefined;

/**
 * Returns a platform for a file whose tests need no settings of their own. Files in one process share it: after each file its
 * database and files are restored, which takes a twentieth of the time of another start.
 * @param without processes that the tests of the file never use, in case the platform is only for this file.
 */
export async function useRealStack(without: readonly ('admin' | 'worker')[] = []): Promise<RealStack> {
  if (!filesShareProcess()) return startRealStack({}, without);
  shared ??= startSharedStack();
  const stack = await shared;
  after(() => putBack(stack));
  return stack;
}

async function startSharedStack(): Promise<RealStack> {
  const stack = await startRealStack({}, [], afterFiles);
  await keepTables(stack.pool);
  await cp(join(stack.dataDir, 'storage'), join(stack.dataDir, 'first'), { recursive: true });
  return stack;
}

/** Restores the platform for the next file. Jobs have to end first, because they would write into the restored tables. */
async function putBack({ pool, dataDir }: RealStack): Promise<void> {
  await eventually('no job is under way', async () => {
    await pool.query('delete from graphile_worker._private_jobs where locked_at is null');
    const { rowCount } = await pool.query('select from graphile_worker._private_jobs');
    return rowCount === 0;
  });
  await putTablesBack(pool);
  const printed = await readFile(join(dataDir, 'start.log'), 'utf8');
  assert.doesNotMatch(printed, /^.*\(node:\d+\).*Warning.*$/m, 'the platform runs without a warning of Node.js');
  const storage = join(dataDir, 'storage');
  for (const name of await readdir(storage)) await rm(join(storage, name), { recursive: true, force: true });
  await cp(join(dataDir, 'first'), storage, { recursive: true });
}
