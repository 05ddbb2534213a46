import { createServer } from 'node:net';

/** The range is below the ports that the system gives to connections, so that none of these is taken meanwhile. */
const FIRST = 20_000;
const COUNT = 6000;

/**
 * Returns different ports of the loopback interface that are free now. While this process lives, no other caller gets them, in
 * another test file or another run either, because for each port this process listens on a second one, `COUNT` above it.
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function freePorts(count) {
  /** @type {number[]} */
  const ports = [];
  while (ports.length < count) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const lease = await takePort(port + COUNT);
    if (lease === null) continue;
    const probe = await takePort(port);
    if (probe === null) await lease.close();
    else {
      await probe.close();
      ports.push(port);
    }
  }
  return ports;
}

/**
 * Listens on a port until it is closed or this process ends.
 * @param {number} port
 * @returns {Promise<{ close: () => Promise<void> } | null>} null when it is taken
 */
export function takePort(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(null));
    /** @returns {Promise<void>} */
    const close = () => new Promise((closed) => server.close(() => closed()));
    server.listen(port, '127.0.0.1', () => resolve({ close })).unref();
  });
}
