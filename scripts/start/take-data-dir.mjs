import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal, say } from '../checkout/terminal.mjs';
import { isStill } from './launcher.mjs';
import { endLeftoverLayers } from './layer.mjs';
import { takeLock } from './process-lock.mjs';
import { checkPorts } from './settings.mjs';

/** Longer than any orderly end of a platform takes. */
const ENDS_WITHIN_MS = 90_000;

/**
 * Makes this process the only one that runs a platform on DATA_DIR. A predecessor that is ending, or whose npm has
 * been killed and that is therefore about to, is waited for. What a killed predecessor has left running is ended.
 * @param {string} dataDir
 * @param {string | null} npm identity of the npm that started this process
 * @param {import('./settings.mjs').Settings} settings
 * @returns {Promise<import('./process-lock.mjs').Lock>} whose note says `ending` from when it is told to end
 * @throws {Refusal} when another platform runs on it
 */
export async function takeDataDir(dataDir, npm, settings) {
  const path = join(dataDir, 'supervisor.lock');
  const deadline = performance.now() + ENDS_WITHIN_MS;
  let lock = takeLock(path, { npm });
  let asked = false;
  while ('holder' in lock) {
    const { pid, npm: itsNpm, ending } = lock.holder;
    const isOrphan = typeof itsNpm === 'string' && !isStill(itsNpm);
    if ((!isOrphan && !ending) || performance.now() > deadline) {
      // Where it holds our ports as well, these are what the person wants to hear about.
      await checkPorts(settings.host, settings.listeners);
      throw new Refusal(`DATA_DIR: ${dataDir} is in use by another npm start (process ${pid}).`);
    }
    if (!asked) {
      say('  ...  waiting for the platform that ran here before to end');
      if (!ending) process.kill(pid, 'SIGTERM');
      asked = true;
    }
    await sleep(100);
    lock = takeLock(path, { npm });
  }
  await endLeftoverLayers(dataDir);
  return lock;
}
