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
 * A platform for a file whose tests need no settings of their own. Files that share a process share it: after each of them its
 * database and its files are as they were at first, which takes a twentieth of the time that another start would.
 * @param without layers that the file's tests never ask, should the platform be the file's alone.
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

/** For the next file. What the last one has set going ends before: it would write into what is put back. */
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
