import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/**
 * @typedef {object} Holder another process that holds a lock
 * @property {number} pid
 * @property {boolean} ending whether it is about to give it up
 * @property {Promise<void>} gone settles when it has, or has ended
 */

/**
 * @typedef {object} Lock
 * @property {boolean} wasLeft whether a process that was killed had held it last
 * @property {() => void} release
 */

/** How long a process may take to say who it is: one that takes longer is stopped at its terminal. */
const SAYS_WITHIN_MS = 3000;

/**
 * Takes the lock that lies in a folder, until it is released or this process ends, in whatever way. Who holds it, or would like
 * to, listens on a port of the loopback interface, which the system closes with the process, and names that port by a file in
 * the folder. A file whose port nobody listens on is left over. As no two processes ever have the same file, it can be
 * removed by whoever finds it, and of several who come at once the one with the lowest name gets the lock.
 * @param {string} folder made when it is missing
 * @param {() => boolean} [isEnding] what others are told who find the lock taken
 * @param {number} [saysWithinMs] how long another process may take to say who it is
 * @returns {Promise<Lock | { holder: Holder }>} the lock, or who holds it
 * @throws the file system's own error when the folder cannot be written
 */
export async function acquireLock(folder, isEnding = () => false, saysWithinMs = SAYS_WITHIN_MS) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let holds = false;
  const token = randomBytes(8).toString('hex');
  const { port, close } = await listen(() => ({ token, pid: process.pid, holds, ending: isEnding() }));
  const own = `${token}.${process.pid}.${port}`;
  const release = () => {
    rmSync(join(folder, own), { force: true });
    close();
  };
  writeFileSync(join(folder, own), '', { mode: 0o600 });
  let wasLeft = false;
  /** @type {Set<string>} those who will find ours and give way */
  const later = new Set([own]);
  for (;;) {
    const others = readdirSync(folder).filter((name) => !later.has(name));
    // Nothing is waited for between the look and this: whoever comes from now on is told that the lock is held.
    holds = others.length === 0;
    if (holds) return { wasLeft, release };
    for (const other of others) {
      const found = await ask(other, saysWithinMs);
      if (found === null) {
        wasLeft = true;
        rmSync(join(folder, other), { force: true });
      } else if (found.holds || other < own) {
        release();
        return { holder: found };
      } else {
        found.hangUp();
        later.add(other);
      }
    }
  }
}

/**
 * @param {string} folder of a lock
 * @returns {Promise<Holder | null>} who holds it now
 */
export async function findHolder(folder) {
  const found = await Promise.all(readdirSync(folder).map((name) => ask(name)));
  return found.find((other) => other?.holds) ?? null;
}

/**
 * Waits for the lock, then does the work.
 * @template T
 * @param {string} folder
 * @param {() => Promise<T>} work
 * @param {() => void} onWait called once when another process holds the lock
 * @returns {Promise<T>}
 */
export async function withLock(folder, work, onWait) {
  let lock = await acquireLock(folder);
  if ('holder' in lock) onWait();
  while ('holder' in lock) {
    await lock.holder.gone;
    lock = await acquireLock(folder);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * @param {() => object} say what whoever connects is told
 * @returns {Promise<{ port: number, close: () => void }>}
 */
function listen(say) {
  /** @type {Set<import('node:net').Socket>} */
  const callers = new Set();
  const server = createServer((caller) => {
    callers.add(caller.unref());
    caller.on('error', () => {}).on('close', () => callers.delete(caller));
    caller.write(`${JSON.stringify(say())}\n`);
  });
  const close = () => {
    server.close();
    for (const caller of callers) caller.destroy();
  };
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.unref().address();
      resolve({ port: typeof address === 'object' ? (address?.port ?? 0) : 0, close });
    });
  });
}

/**
 * @param {string} name of a file in a lock's folder
 * @param {number} [withinMs]
 * @returns {Promise<(Holder & { holds: boolean, hangUp: () => void }) | null>} null when its process is gone
 */
function ask(name, withinMs = SAYS_WITHIN_MS) {
  const [token, pid, port] = name.split('.');
  const socket = connect({ port: Number(port) || 1, host: '127.0.0.1' });
  /** @type {Promise<void>} */
  const gone = new Promise((resolve) => socket.on('close', () => resolve()));
  const known = { pid: Number(pid), gone, hangUp: () => socket.destroy() };
  return new Promise((resolve) => {
    let said = '';
    const timer = setTimeout(() => {
      // Stopped at the terminal, it cannot say anything; else another program has been given its port.
      if (isAlive(known.pid)) return resolve({ ...known, holds: true, ending: false });
      socket.destroy();
    }, withinMs);
    gone.then(() => clearTimeout(timer)).then(() => resolve(null));
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (text) => {
      said += text;
      if (!said.endsWith('\n')) return;
      clearTimeout(timer);
      const answer = parse(said);
      if (answer?.token === token) resolve({ ...known, holds: answer.holds, ending: answer.ending });
      else socket.destroy();
    });
  });
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * @param {number} pid
 * @returns {boolean} also true for a process of another user
 */
export function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
