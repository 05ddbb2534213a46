import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock } from '../checkout/lock.mjs';
import { Refusal, say } from '../checkout/terminal.mjs';
import { requireFreePorts } from './settings.mjs';

/** Longer than a platform takes to end in an orderly way. */
const ENDS_WITHIN_MS = 90_000;
/** The layers of a killed supervisor notice that and end by themselves within nine seconds (lib/process.ts). */
const LAYERS_END_WITHIN_MS = 12_000;

/**
 * Makes this process the only one that runs a platform on DATA_DIR, once the ports are free. It waits for a predecessor that is
 * ending, and for the layers of one that was killed.
 * @param {string} dataDir
 * @param {() => boolean} isEnding whether this process is about to end
 * @param {import('./settings.mjs').Settings} settings
 * @returns {Promise<import('../checkout/lock.mjs').Lock>}
 * @throws {Refusal} when another platform runs on it, or another program has one of the ports
 */
export async function acquireDataDir(dataDir, isEnding, { host, listeners }) {
  const folder = join(dataDir, 'supervisor');
  const late = sleep(ENDS_WITHIN_MS, 'late', { ref: false });
  let isLate = false;
  let lock = await acquireLock(folder, isEnding);
  if ('holder' in lock && lock.holder.ending) say('  ...  waiting for the platform that ran here before to end');
  while ('holder' in lock) {
    const { pid, ending, gone } = lock.holder;
    if (!ending || isLate) {
      // If it also has our ports, the message about the ports helps the person more.
      await requireFreePorts(host, listeners);
      throw new Refusal(`DATA_DIR: ${dataDir} is in use by another npm start (process ${pid}).`);
    }
    isLate = (await Promise.race([gone, late])) === 'late';
    lock = await acquireLock(folder, isEnding);
  }
  try {
    await requireFreePorts(host, listeners, lock.wasLeft ? LAYERS_END_WITHIN_MS : undefined);
  } catch (error) {
    lock.release();
    throw error;
  }
  return lock;
}
