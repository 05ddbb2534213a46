import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { numberWords } from '@case-platform/words/counts';
import { ensureWebBuild } from '../scripts/checkout/builds.mjs';
import { LAYER_ENVIRONMENT, LAYER_OPTIONS } from '../scripts/checkout/checkout.mjs';
import { step } from '../scripts/checkout/terminal.mjs';
import { NO_LIMITS } from '../scripts/test/no-limits.mjs';
import { CONNECTIONS, type Comparison, compare } from './compare.ts';
import { describeMachine } from './machine.ts';
import { type AttachmentFigures, measureAttachments } from './measure-attachments.ts';
import { type CallFigures, measureCasePage } from './measure-case-page.ts';
import { type Growth, LARGE, measureGrowth, seedLarge } from './measure-growth.ts';
import { measureMoney } from './measure-money.ts';
import { measurePush, type PushFigures } from './measure-push.ts';
import { measureSignIn } from './measure-sign-in.ts';
import { measureWeb, type WebFigures } from './measure-web.ts';
import { type MemoryReading, measureMemory } from './memory/measure-memory.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { type Process, pathOf, startProcess, stopProcesses } from './processes.ts';
import { type PreparedScenario, recordRequests } from './record-requests.ts';
import { type Memory, printMemory, printReport, type Report } from './report.ts';
import { SCENARIOS } from './scenarios.ts';
import { seedBench } from './seed-bench.ts';
import type { Usage } from './usage-probe.ts';

/**
 * Measures the platform beside a bare floor. `DATABASE_URL` is an empty database that is filled and used up, `DATA_DIR`
 * a folder for everything else; bench.mjs brings both and takes them away again.
 */

const INTERRUPTED = 130;
for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) {
  process.once(event, async () => {
    await stopProcesses();
    process.exit(INTERRUPTED);
  });
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options === null) console.log(HELP);
  else await runBench(options);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await stopProcesses();
}
process.exit();

async function runBench(options: Options): Promise<void> {
  const env = environment();
  const readings = options.only.includes('memory') ? await fillMemory(env, options) : [];
  const report = options.only.every((name) => name === 'memory') ? null : await measureLayers(env, options);
  if (report !== null) printReport(report);
  printMemory(readings);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ ...report, readings }, null, 2)}\n`);
}

async function measureLayers(env: Record<string, string>, options: Options): Promise<Report> {
  const { databaseUrl: url, encryptionKey } = loadConfigWithDatabase('prepare', env);
  const { messages } = options;
  const title = `Filling the database with ${numberWords(messages)} messages`;
  const chains = await step(title, () => seedBench({ url, encryptionKey, messages }));
  const storage = await startLayer('storage', env);
  Object.assign(env, { STORAGE_URL: storage.baseUrl });
  const scenarios = SCENARIOS.filter((scenario) => options.only.includes(scenario.name));
  const { api, memory } = await step('Starting the platform', () => startPlatform(env, storage, options));
  const comparisons: Comparison[] = [];
  // What is sent while it is recorded would be in the answers of those that read, but not in what was recorded of them.
  for (const isSent of [false, true]) {
    const some = scenarios.filter(({ name }) => (name === 'send') === isSent);
    if (some.length === 0) continue;
    const prepared = await step('Recording what the API does', () => record(env, some, chains));
    comparisons.push(...(await compareAll(env, { api, prepared, options })));
  }
  const signIn = options.only.includes('login')
    ? await step('Measuring sign-in', () => measureSignIn(env, api, { url, seconds: options.seconds }))
    : undefined;
  const attachments = options.only.includes('attachments') ? await sendAttachments(env, api, chains) : undefined;
  const push = options.only.includes('push') ? await wakeDevices(env, { api, chains, url, options }) : undefined;
  const web = options.only.includes('web') ? await showPages(env, { api, chains, options }) : undefined;
  const money = options.only.includes('money')
    ? await step('Asking where the money is', () => measureMoney(env, api, url))
    : [];
  await noteMemory(memory, [api, storage], 'loaded');
  const growth = options.only.includes('growth') ? await compareSizes(env, { api, url, encryptionKey, options }) : [];
  const casePage = options.only.includes('case-page') ? await visitCases(env, url, encryptionKey) : [];
  return {
    machine: await describeMachine(url),
    options,
    connections: CONNECTIONS,
    comparisons,
    signIn,
    growth,
    attachments,
    push,
    web,
    casePage,
    money,
    memory,
  };
}

async function fillMemory(env: Record<string, string>, { requests }: Options): Promise<MemoryReading[]> {
  const load = await startProcess({ name: 'load', file: 'load.ts', env });
  const title = `Watching memory during ${numberWords(requests)} requests`;
  const readings = await step(title, () => measureMemory(env, { load, requests }));
  await load.stop();
  return readings;
}

/** Nothing of a person's own settings reaches the processes: no provider outside is ever called. */
function environment(): Record<string, string> {
  const { PATH = '', DATABASE_URL = '', DATA_DIR = '' } = process.env;
  if (DATABASE_URL === '' || DATA_DIR === '') throw new Error('Run this by `npm run bench`.');
  const anyPort = { API_PORT: '0', ADMIN_PORT: '0', STORAGE_PORT: '0', WEB_PORT: '0' };
  const ownPush = { PUSH_ALLOWED_HOSTS: '127.0.0.1' };
  return {
    PATH,
    DATABASE_URL,
    DATA_DIR: resolve(DATA_DIR),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    ...anyPort,
    ...ownPush,
    ...NO_LIMITS,
  };
}

async function record(
  env: Record<string, string>,
  scenarios: typeof SCENARIOS,
  chains: number[],
): Promise<PreparedScenario[]> {
  const file = '../apps/api/main.ts';
  const recorder = await startProcess({ name: 'recorder', file, env, preload: ['statement-recorder.ts'] });
  const prepared = await recordRequests(recorder, scenarios, chains);
  await recorder.stop();
  return prepared;
}

function startLayer(name: string, env: Record<string, string>, execArgv: string[] = []): Promise<Process> {
  const options = [...LAYER_OPTIONS, ...execArgv];
  return startProcess({
    name,
    file: `../apps/${name}/main.ts`,
    env: { ...LAYER_ENVIRONMENT, ...env },
    execArgv: options,
    preload: ['usage-probe.ts'],
  });
}

/** Starts every layer that is there to see what memory it needs, then stops those that the load does not use. */
async function startPlatform(env: Record<string, string>, storage: Process, { profile }: Options) {
  if (profile !== undefined) mkdirSync(profile, { recursive: true });
  const api = await startLayer('api', env, profiling(profile));
  const idle = [await startLayer('worker', env)];
  const addresses = { ...env, API_URL: api.baseUrl ?? '' };
  if (existsSync(pathOf('../apps/admin/main.ts'))) idle.push(await startLayer('admin', addresses));
  if (existsSync(pathOf('../apps/web/.next/BUILD_ID'))) idle.push(await startLayer('web', addresses));
  const processes = [api, storage, ...idle];
  await Promise.all(processes.map(visit));
  await sleep(1000);
  const memory: Memory = {};
  await noteMemory(memory, processes, 'idle');
  await Promise.all(idle.map((process) => process.stop()));
  return { api, memory };
}

function profiling(folder: string | undefined): string[] {
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`];
}

/** One visit: what a layer loads for its first request counts as idle memory. */
async function visit({ name, baseUrl }: Process): Promise<void> {
  const path = name === 'admin' || name === 'web' ? '/login' : '/health/ready';
  if (baseUrl !== null) await (await fetch(baseUrl + path, { signal: AbortSignal.timeout(30_000) })).text();
}

async function noteMemory(memory: Memory, processes: Process[], when: 'idle' | 'loaded'): Promise<void> {
  for (const process of processes) {
    const { rss } = await process.ask<Usage>('usage');
    memory[process.name] = { ...memory[process.name], [when]: rss };
  }
}

async function compareAll(
  env: Record<string, string>,
  { api, prepared, options }: { api: Process; prepared: PreparedScenario[]; options: Options },
): Promise<Comparison[]> {
  const floor = await startProcess({ name: 'floor', file: 'floor.ts', env, preload: ['usage-probe.ts'] });
  const load = await startProcess({ name: 'load', file: 'load.ts', env });
  const routes = prepared.flatMap((one) => one.floor ?? []);
  if (routes.length > 0) floor.baseUrl = await floor.ask<string>('routes', routes);
  const { seconds, rounds } = options;
  const comparisons: Comparison[] = [];
  for (const one of prepared) {
    const title = `Measuring ${one.scenario.label}`;
    comparisons.push(await step(title, () => compare({ api, floor, load, seconds, rounds }, one)));
  }
  await Promise.all([floor.stop(), load.stop()]);
  return comparisons;
}

async function sendAttachments(
  env: Record<string, string>,
  api: Process,
  chains: number[],
): Promise<AttachmentFigures> {
  const send = await recordSend(env, chains);
  return step('Sending attachments of 25 MiB', () => measureAttachments(api, send));
}

async function wakeDevices(
  env: Record<string, string>,
  { api, chains, url, options }: { api: Process; chains: number[]; url: string; options: Options },
): Promise<PushFigures> {
  const send = await recordSend(env, chains);
  const startWorker = () => startLayer('worker', env, profiling(options.profile));
  return step('Pushing messages to devices', () => measurePush({ api, send, url, startWorker }));
}

async function recordSend(env: Record<string, string>, chains: number[]): Promise<PreparedScenario> {
  const scenarios = SCENARIOS.filter(({ label }) => label === 'send, text only');
  const [send] = await record(env, scenarios, chains);
  if (send === undefined) throw new Error('there is no scenario that sends');
  return send;
}

/** Pages of the staff application on a platform of ten thousand cases and a million messages. */
async function visitCases(env: Record<string, string>, url: string, encryptionKey: string): Promise<CallFigures[]> {
  const title = `Filling a database with ${numberWords(LARGE)} messages`;
  const large = await step(title, () => seedLarge(url, encryptionKey));
  return step('Visiting cases', () => measureCasePage(env, large.url));
}

/** In a browser, so it needs one and a built web frontend. */
async function showPages(
  env: Record<string, string>,
  { api, chains, options }: { api: Process; chains: number[]; options: Options },
): Promise<WebFigures> {
  await step('Building the web frontend', ensureWebBuild);
  const start = (address: Record<string, string>) =>
    startLayer('web', { ...env, API_URL: api.baseUrl ?? '', ...address });
  const [chainId = 1] = chains;
  return step('Measuring pages', () => measureWeb({ api, start, chainId, visits: options.rounds }));
}

/** Reads and sends on ten thousand messages and on a million, beside each other. */
async function compareSizes(
  env: Record<string, string>,
  { api, url, encryptionKey, options }: { api: Process; url: string; encryptionKey: string; options: Options },
): Promise<Growth[]> {
  const title = `Filling another database with ${numberWords(LARGE)} messages`;
  const { url: largeUrl, chains } = await step(title, () => seedLarge(url, encryptionKey));
  const large = await startLayer('api', { ...env, DATABASE_URL: largeUrl });
  const load = await startProcess({ name: 'load', file: 'load.ts', env });
  const scenarios = SCENARIOS.filter(({ name, label }) => name !== 'send' || label === 'send, text only');
  const { seconds, rounds } = options;
  const bench = { small: api, large, load, seconds, rounds };
  const growth: Growth[] = [];
  const prepared = await record(env, scenarios, chains);
  // The one API has been under load before, the other has not.
  for (const one of prepared)
    await step(`Warming up ${one.scenario.label}`, () => measureGrowth({ ...bench, rounds: 0 }, one));
  for (const one of prepared) {
    growth.push(await step(`Measuring ${one.scenario.label} on both`, () => measureGrowth(bench, one)));
  }
  await large.stop();
  return growth;
}
