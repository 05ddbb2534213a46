import { createServer } from 'node:net';

/** Below those that the system itself gives to any connection, so that none of them is taken meanwhile. */
const FIRST = 20_000;
const COUNT = 6000;

/**
 * Ports of the loopback interface that are free now, all different. Nobody else who asks here gets them while this process
 * lives, in another test file or another run either: for each, a second port is listened on, `COUNT` above it.
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
 * Listens on a port, as long as this process lives or until it is closed.
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
