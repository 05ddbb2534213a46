import { connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

export interface Gate {
  /** The address of the database through the gate. */
  url: string;
  /** Rejects new connections and ends the existing ones. */
  shut(): Promise<void>;
  open(): Promise<void>;
  /** How often clients have waited for an answer so far: what they send at once counts as one. */
  countRoundTrips(): number;
}

/** Opens a proxy to a database that can be shut, so that the database seems to be gone. */
export async function openGate(databaseUrl: string): Promise<Gate> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let roundTrips = 0;
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    let isAnswered = true;
    near.on('data', () => {
      if (isAnswered) roundTrips += 1;
      isAnswered = false;
    });
    far.on('data', () => {
      isAnswered = true;
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  let port = 0;
  const open = () =>
    new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', () => {
        const address = server.address();
        port = typeof address === 'object' ? (address?.port ?? 0) : 0;
        resolve();
      });
    });
  const shut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await open();
  after(() => (server.listening ? shut() : undefined));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return { url: url.href, open, shut, countRoundTrips: () => roundTrips };
}
