import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup } from '../checkout/run-command.mjs';
import { processIdentity } from './process-identity.mjs';

const LOOK_EVERY_MS = 50;

/**
 * Notes a process of ours in a file, for whoever comes after us if we are killed before it has ended.
 * @param {string} path
 * @param {number | undefined} pid leader of a process group
 */
export function noteProcess(path, pid) {
  writeFileSync(path, (pid !== undefined && processIdentity(pid)) || '', { mode: 0o600 });
}

/**
 * Asks the process that a file notes to end, insists when it does not, and removes the note.
 * @param {string} path
 * @param {number} withinMs how long it gets before it is killed
 */
export async function endNotedProcess(path, withinMs) {
  const identity = readNote(path);
  const pid = Number.parseInt(identity, 10);
  const isLeft = () => identity !== '' && processIdentity(pid) === identity;
  if (isLeft()) killGroup(pid, 'SIGTERM');
  const deadline = performance.now() + withinMs;
  while (isLeft() && performance.now() < deadline) await sleep(LOOK_EVERY_MS);
  if (isLeft()) killGroup(pid, 'SIGKILL');
  while (isLeft()) await sleep(LOOK_EVERY_MS);
  rmSync(path, { force: true });
}

/** @param {string} path */
function readNote(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
