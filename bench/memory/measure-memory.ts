import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as rest } from 'node:timers/promises';
import type { LoadRequest } from 'autocannon';
import { ROOT } from '../../scripts/checkout/checkout.mjs';
import type { LoadJob, LoadResult } from '../load.ts';
import type { Process } from '../processes.ts';
import { listRequests, openStream, signInBoth } from './memory-requests.ts';
import { type Resident, readTree } from './process-tree.ts';

/** What the processes of `npm start` hold once the API has answered so many requests, at once or after a rest. */
export interface MemoryReading {
  requests: number;
  isRested: boolean;
  kinds: Record<string, Resident>;
}

/** While nobody asks for anything, V8 gives back what it has cleared: within seconds, or a minute and a half after long work. */
const REST_MS = 150_000;

/** The most that the API may hold (RSS) at rest, however much it was asked before, and all processes together (PSS), in bytes. */
export const MEMORY_TARGETS = { api: 150 * 2 ** 20, platform: 800 * 2 ** 20 };

const READY_WITHIN_MS = 300_000;
const STOP_WITHIN_MS = 30_000;
const CONNECTIONS = 8;
/** Between two looks at the pages; also for how many requests a token is used. */
const PORTION = 5000;
const PAGES_A_PORTION = 10;
/** A portion is over by its number; this only ends one that hangs. */
const PORTION_WITHIN_S = 300;
const READ_AT = [0, 10_000, 20_000, 50_000, 100_000, 200_000, 300_000, 500_000, 700_000, 1_000_000];

/**
 * Starts the platform as a person does, in a folder of its own, and has the API answer many requests while people's pages are
 * open. @returns what its processes hold meanwhile.
 */
export async function measureMemory(
  env: Record<string, string>,
  { load, requests }: { load: Process; requests: number },
): Promise<MemoryReading[]> {
  if (process.platform !== 'linux') throw new Error('What processes share of their memory only Linux tells.');
  const [web = 0, api = 0, admin = 0, storage = 0] = await findPorts(4);
  const ports = { WEB_PORT: web, API_PORT: api, ADMIN_PORT: admin, STORAGE_PORT: storage };
  const npm = await startPlatform(env, ports);
  try {
    const urls = {
      api: `http://127.0.0.1:${api}`,
      pages: [web, admin].map((port) => `http://127.0.0.1:${port}/login`),
    };
    await visitPages(urls.pages);
    const readings = [readNow(npm, 0)];
    for (let done = 0; done < requests; ) {
      const portion = Math.min(PORTION, requests - done);
      await askAll(load, urls.api, portion);
      await visitPages(urls.pages);
      done += portion;
      if (READ_AT.includes(done) || done === requests) readings.push(readNow(npm, done));
    }
    await rest(REST_MS);
    return [...readings, { ...readNow(npm, requests), isRested: true }];
  } finally {
    await stop(npm);
  }
}

/** Sends one portion while both have a stream open. */
async function askAll(load: Process, url: string, amount: number): Promise<void> {
  const tokens = await signInBoth(url);
  const ends = await Promise.all(Object.values(tokens).map((token) => openStream(url, token)));
  const requests: LoadRequest[] = await listRequests(url, tokens);
  const job: LoadJob = { url, requests, amount, seconds: PORTION_WITHIN_S, connections: CONNECTIONS };
  const { failures } = await load.ask<LoadResult>('load', job);
  for (const end of ends) end();
  if (failures > 0) throw new Error(`api: ${failures} of ${amount} requests failed.`);
}

async function visitPages(pages: string[]): Promise<void> {
  for (const page of pages)
    for (let visit = 0; visit < PAGES_A_PORTION; visit += 1) await (await fetch(page)).arrayBuffer();
}

function readNow({ pid = 0 }: ChildProcess, requests: number): MemoryReading {
  return { requests, isRested: false, kinds: Object.fromEntries(readTree(pid)) };
}

async function startPlatform(env: Record<string, string>, ports: Record<string, number>): Promise<ChildProcess> {
  const folder = join(env.DATA_DIR ?? '', 'memory');
  mkdirSync(folder, { mode: 0o711 });
  const { DATABASE_URL: _ours, STORAGE_URL: _too, ...others } = env;
  const settings = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: { ...others, ...settings, DATA_DIR: folder, npm_config_update_notifier: 'false' },
    // A group of its own, so that whatever is left of it can be ended.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => npm.kill('SIGTERM'));
  const lines: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const give = (why: string) => reject(new Error(`npm start: ${why}\n${lines.slice(-5).join('\n')}`));
    const timer = setTimeout(give, READY_WITHIN_MS, 'it does not become ready');
    for (const output of [npm.stdout, npm.stderr])
      createInterface(output).on('line', (line) => {
        lines.push(line);
        if (!line.startsWith('Case Platform is ready')) return;
        clearTimeout(timer);
        resolve();
      });
    npm.once('exit', () => give('it has ended'));
  });
  return npm;
}

async function stop(npm: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => npm.stdout?.once('close', resolve));
  npm.kill('SIGTERM');
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, STOP_WITHIN_MS).unref())]);
}

/** Ports that are free now, all of them at once. */
async function findPorts(count: number): Promise<number[]> {
  const probes = await Promise.all(
    Array.from({ length: count }, async () => {
      const probe = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => probe.once('listening', resolve));
      return probe;
    }),
  );
  const ports = probes.map((probe) => (probe.address() as { port: number }).port);
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  return ports;
}
