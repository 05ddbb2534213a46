import { createServer } from 'node:net';

/**
 * Ports of the loopback interface that are free now, all different. Below those that the system itself gives to any
 * connection, so that none of them is taken meanwhile.
 */
export async function freePorts(count: number): Promise<number[]> {
  const probes: { port: number; close: () => void }[] = [];
  while (probes.length < count) {
    const probe = await takePort(20_000 + Math.floor(Math.random() * 12_000));
    if (probe !== null) probes.push(probe);
  }
  for (const { close } of probes) close();
  return probes.map(({ port }) => port);
}

/** Listens on a port; null when it is taken. */
export function takePort(port: number): Promise<{ port: number; close: () => void } | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(null));
    server.listen(port, '127.0.0.1', () => resolve({ port, close: () => server.close() }));
  });
}
