import { createECDH, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { type Comparison, compare, withCpu } from './compare.ts';
import type { BareDevice } from './floor.ts';
import { type BenchRequest, type Load, send } from './load.ts';
import type { Process } from './processes.ts';
import { signIn } from './scenarios.ts';

const DEVICES = 200;
const KEYS = {
  p256dh: createECDH('prime256v1').generateKeys('base64url'),
  auth: randomBytes(16).toString('base64url'),
};

/**
 * Measures pushes of messages to someone with 200 devices, from the 201 until the push service has the last one, next to web-push
 * with a bare HTTP client.
 */
export async function comparePushes(
  { api, worker, floor }: Record<'api' | 'worker' | 'floor', Process>,
  { requests, url, rounds }: { requests: BenchRequest[]; url: string; rounds: number },
): Promise<Comparison> {
  const service = await startPushService();
  try {
    await subscribeDevices(api, url, service.endpoint);
    let count = 0;
    const reachDevices = async () => {
      const load = service.count(DEVICES);
      await send(api.baseUrl, requests[count++ % requests.length] as BenchRequest);
      return load();
    };
    const pushBarely = async () => {
      const load = service.count(DEVICES);
      await floor.ask('push', { endpoint: service.endpoint, keys: KEYS, count: DEVICES } satisfies BareDevice);
      return load();
    };
    const sides = { api: () => withCpu(worker, reachDevices), floor: () => withCpu(floor, pushBarely) };
    return await compare({ label: 'push of a message, worker', target: null }, sides, rounds);
  } finally {
    service.close();
  }
}

/** Starts a push service that accepts everything at once and counts. */
async function startPushService() {
  let onPush = () => {};
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(201).end();
      onPush();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/device`,
    /** Counts the next pushes. The function that it returns starts the clock, and resolves when all of them have arrived. */
    count(pushes: number): () => Promise<Load> {
      const moments: number[] = [];
      const arrived = new Promise<void>((resolve) => {
        onPush = () => {
          if (moments.push(performance.now()) === pushes) resolve();
        };
      });
      return async () => {
        const start = Math.min(performance.now(), moments[0] ?? Number.POSITIVE_INFINITY);
        await arrived;
        const latencies = moments.map((moment) => moment - start);
        return { requests_per_second: pushes / (Math.max(...latencies) / 1000), latencies };
      };
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Subscribes the first device as a browser does. The others are inserted directly, beyond the limit (PUSH-3). */
async function subscribeDevices(api: Process, url: string, endpoint: string): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: await signIn(api, 'escrow') };
  const body = Buffer.from(JSON.stringify({ enabled: true, endpoint, keys: KEYS }));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Notifications of messages from earlier measurements must not be counted.
    await client.query('delete from push_subscription');
    await client.query('delete from graphile_worker._private_jobs');
    await send(api.baseUrl, { method: 'POST', path: '/api/notifications/subscribe', headers, body });
    await client.query(
      `insert into push_subscription (user_type, user_id, endpoint, p256dh, auth, vapid_key_id)
       select user_type, user_id, endpoint || '-' || n, p256dh, auth, vapid_key_id
         from push_subscription, generate_series(2, $1::int) as n`,
      [DEVICES],
    );
  } finally {
    await client.end();
  }
}
