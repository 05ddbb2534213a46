import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

/**
 * @typedef {object} Holder another process that holds a lock
 * @property {number} pid
 * @property {boolean} ending whether it is about to release it
 * @property {Promise<void>} gone settles when it has released it, or has ended
 */

/**
 * @typedef {object} Lock
 * @property {boolean} wasLeft whether the last holder was killed
 * @property {() => void} release
 */

/** How long a process may take to answer. A process that takes longer was stopped at its terminal. */
const ANSWERS_WITHIN_MS = 3000;

/**
 * Acquires the lock of a folder until it is released or this process ends in any way. Each contender listens on a port of the
 * loopback interface, which the system closes with the process, and names that port in a file of its own. A file whose port
 * does not answer is left over, and any contender may remove it, because no two processes ever have the same file. Of several
 * contenders at once, the one with the lowest file name gets the lock. (This uses no library, because the lock protects the
 * installation of packages.)
 * @param {string} folder made when it is missing
 * @param {() => boolean} [isEnding] what others see as `ending`
 * @param {number} [answersWithinMs]
 * @returns {Promise<Lock | { holder: Holder }>} the lock, or its holder
 * @throws the file system's own error when the folder cannot be written
 */
export async function acquireLock(folder, isEnding = () => false, answersWithinMs = ANSWERS_WITHIN_MS) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let holds = false;
  const token = randomBytes(8).toString('hex');
  const { port, close } = await listen(() => ({ token, holds, ending: isEnding() }));
  const own = `${token}.${process.pid}.${port}`;
  const release = () => {
    rmSync(join(folder, own), { force: true });
    close();
  };
  writeFileSync(join(folder, own), '', { mode: 0o600 });
  let wasLeft = false;
  /** @type {Set<string>} contenders that will find our file and give way */
  const later = new Set([own]);
  for (;;) {
    const others = readdirSync(folder).filter((name) => !later.has(name));
    // There is no await in between, so every later process sees that the lock is held.
    holds = others.length === 0;
    if (holds) return { wasLeft, release };
    for (const other of others) {
      const contender = await ask(other, answersWithinMs);
      if (contender === null) {
        wasLeft = true;
        rmSync(join(folder, other), { force: true });
      } else if (contender.holds || other < own) {
        release();
        return { holder: contender };
      } else {
        contender.hangUp();
        later.add(other);
      }
    }
  }
}

/**
 * @param {string} folder of a lock
 * @returns {Promise<Holder | null>} its holder
 */
export async function findHolder(folder) {
  const contenders = await Promise.all(readdirSync(folder).map((name) => ask(name)));
  return contenders.find((contender) => contender?.holds) ?? null;
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
 * @param {() => object} answer sent to each process that connects
 * @returns {Promise<{ port: number, close: () => void }>}
 */
function listen(answer) {
  /** @type {Set<import('node:net').Socket>} */
  const callers = new Set();
  const server = createServer((caller) => {
    callers.add(caller.unref());
    caller.on('error', () => {}).on('close', () => callers.delete(caller));
    caller.write(`${JSON.stringify(answer())}\n`);
  });
  const close = () => {
    server.close();
    for (const caller of callers) caller.destroy();
  };
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.unref().address());
      resolve({ port, close });
    });
  });
}

/**
 * @param {string} name of a file in a lock's folder
 * @param {number} [withinMs]
 * @returns {Promise<(Holder & { holds: boolean, hangUp: () => void }) | null>} null when its process is gone
 */
function ask(name, withinMs = ANSWERS_WITHIN_MS) {
  const [token, pid, port] = name.split('.');
  const socket = connect({ port: Number(port) || 1, host: '127.0.0.1' });
  /** @type {Promise<void>} */
  const gone = new Promise((resolve) => socket.on('close', () => resolve()));
  const contender = { pid: Number(pid), gone, hangUp: () => socket.destroy() };
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      // Either the process is stopped at its terminal and cannot answer, or another program has its port now.
      if (isAlive(contender.pid)) resolve({ ...contender, holds: true, ending: false });
      else socket.destroy();
    }, withinMs);
    gone.then(() => clearTimeout(timer)).then(() => resolve(null));
    let text = '';
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (piece) => {
      text += piece;
      if (!text.endsWith('\n')) return;
      clearTimeout(timer);
      if (text.includes(`"${token}"`)) resolve({ ...contender, ...JSON.parse(text) });
      else socket.destroy();
    });
  });
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
