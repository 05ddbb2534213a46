import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import { LAYER_ENVIRONMENT, LAYER_OPTIONS } from '../scripts/checkout/checkout.mjs';
import { step } from '../scripts/checkout/terminal.mjs';
import { NO_LIMITS } from '../scripts/test/no-limits.mjs';
import { type Comparison, compareRequests } from './compare.ts';
import { type Cost, measureCosts } from './costs.ts';
import { type LiveFigures, measureLive } from './live.ts';
import { type Process, startProcess, stopProcesses } from './processes.ts';
import { comparePushes } from './push.ts';
import { printReport, printTable } from './report.ts';
import { answersAlike, type PreparedScenario, prepareScenarios, READS, SEND, SIGN_IN } from './scenarios.ts';
import { seedBench } from './seed-bench.ts';
import { measureThroughput, type Throughput } from './throughput.ts';

/**
 * Measures important operations of the platform beside a bare floor, to show whether a change made one of them slower.
 * `DATABASE_URL` is an empty database that is filled and used up, `DATA_DIR` a folder for everything else; bench.mjs brings
 * both and removes them.
 */

const COMPARED = [...new Set(READS.map(({ name }) => name)), 'send', 'sign-in', 'push'];
const NAMES = [...COMPARED, 'live', 'costs', 'throughput'];
const HELP = `Usage: npm run bench -- [options]

  --only NAMES    comma-separated: ${NAMES.join(', ')} (default: the first seven)
  --seconds N     length of one measurement, 0.2 to 60 (default 0.5)
  --rounds N      measurements of each side, taken in turns, 1 to 20 (default 8)
  --messages N    messages in the database, 10000 to 10000000 (default 10000)
  --streams N,N   open streams of live updates, each 1 to 50000 (default 1000)
  --json FILE     write the figures to FILE too
  --help          show this`;
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

interface Options {
  only: string[];
  seconds: number;
  rounds: number;
  messages: number;
  streams: number[];
  json: string | undefined;
}

/**
 * Reads the command line.
 * @returns null for `--help`
 * @throws {Error} with one line for the person who typed it
 */
function readOptions(args: string[]): Options | null {
  const text = (value: string) => ({ type: 'string' as const, default: value });
  const { values } = parseArgs({
    args,
    options: {
      only: text(COMPARED.join(',')),
      seconds: text('0.5'),
      rounds: text('8'),
      messages: text('10000'),
      streams: text('1000'),
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const only = values.only.split(',').map((name) => name.trim());
  const unknown = only.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) throw new Error(`--only takes ${NAMES.join(', ')}, not ${unknown.join(', ')}.`);
  const number = (name: 'seconds' | 'rounds' | 'messages', min: number, max: number) => {
    const value = Number(values[name] || Number.NaN);
    if (!(value >= min && value <= max)) throw new Error(`--${name} must be ${min} to ${max}.`);
    return name === 'seconds' ? value : Math.round(value);
  };
  const [seconds, rounds] = [number('seconds', 0.2, 60), number('rounds', 1, 20)];
  const streams = values.streams.split(',').map(Number);
  if (!streams.every((count) => Number.isInteger(count) && count >= 1 && count <= 50_000))
    throw new Error('--streams takes numbers from 1 to 50000.');
  return { only, seconds, rounds, messages: number('messages', 10_000, 10_000_000), streams, json: values.json };
}

async function runBench(options: Options): Promise<void> {
  const env = readEnvironment();
  const { databaseUrl: url, encryptionKey } = loadConfigWithDatabase('prepare', env);
  const { jwtSecret } = loadConfigWithDatabase('api', env);
  const { messages, only, rounds, json } = options;
  const chains = await step('Filling the database', () => seedBench({ url, encryptionKey, messages }));
  env.STORAGE_URL = (await startLayer('storage', env)).baseUrl;
  const api = await startLayer('api', env);
  const comparisons: Comparison[] = [];
  // Sending changes the answers of the reads, which must be the same while they are recorded and measured.
  for (const group of [READS, [SEND, SIGN_IN]]) {
    const scenarios = group.filter(({ name }) => only.includes(name));
    if (scenarios.length > 0) comparisons.push(...(await compareAll(env, api, await record(env, scenarios, chains), options)));
  }
  if (only.includes('push')) {
    const [sending] = await record(env, [SEND], chains);
    const [worker, floor] = [await startLayer('worker', env), await startFloor(env, [])];
    const pushed = { requests: sending?.requests ?? [], url, rounds };
    comparisons.push(await step('Measuring pushes', () => comparePushes({ api, worker, floor }, pushed)));
  }
  const costs: Cost[] = [];
  if (only.includes('costs')) {
    const all = await record(env, [...READS, SEND, SIGN_IN], chains);
    costs.push(...(await step('Measuring costs', () => measureCosts(api, all, url))));
  }
  const throughput = only.includes('throughput') ? await measureSending(env, api, chains, { ...options, url }) : [];
  const live: LiveFigures[] = [];
  if (only.includes('live')) {
    await api.stop();
    for (const streams of options.streams) {
      const fresh = await startLayer('api', env);
      const measured = { api: fresh, url, jwtSecret, seconds: options.seconds };
      live.push(await step(`Measuring ${streams} streams`, () => measureLive(streams, measured)));
      await fresh.stop();
    }
  }
  if (comparisons.length > 0) printReport(comparisons);
  if (costs.length > 0) printTable(costs, 'one call of each');
  if (throughput.length > 0) printTable(throughput, 'messages, sent by 32 people at once');
  if (live.length > 0) printTable(live, '100 messages a second');
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ options, comparisons, costs, throughput, live }, null, 2)}\n`);
}

/** Measures with one API process and one worker, then with two of each. */
async function measureSending(
  env: Record<string, string>,
  first: Process,
  chains: number[],
  { url, seconds }: { url: string; seconds: number },
): Promise<Throughput[]> {
  const [sending] = await record(env, [SEND], chains);
  const measured = { requests: sending?.requests ?? [], url, seconds };
  const workers = [await startLayer('worker', env)];
  const alone = await step('Measuring one of each process', () => measureThroughput([first], measured));
  const second = await startLayer('api', env);
  workers.push(await startLayer('worker', env));
  const two = await step('Measuring two of each process', () => measureThroughput([first, second], measured));
  await Promise.all([second, ...workers].map((process) => process.stop()));
  return [alone, two];
}

/** Returns the environment of the processes without a person's own settings, so that they never call an outside provider. */
function readEnvironment(): Record<string, string> {
  const { PATH = '', DATABASE_URL = '', DATA_DIR = '', REDIS_URL = '' } = process.env;
  if (DATABASE_URL === '' || DATA_DIR === '') throw new Error('Run this with `npm run bench`.');
  return {
    PATH,
    DATABASE_URL,
    // Empty without Redis.
    REDIS_URL,
    DATA_DIR: resolve(DATA_DIR),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    API_PORT: '0',
    STORAGE_PORT: '0',
    PUSH_ALLOWED_HOSTS: '127.0.0.1',
    ...NO_LIMITS,
  };
}

function startLayer(name: string, env: Record<string, string>, preload = 'usage-probe.ts'): Promise<Process> {
  const file = `../apps/${name}/main.ts`;
  return startProcess({
    name,
    file,
    env: { ...LAYER_ENVIRONMENT, ...env },
    execArgv: LAYER_OPTIONS,
    preload: [`./${preload}`],
  });
}

async function startFloor(env: Record<string, string>, prepared: PreparedScenario[]): Promise<Process> {
  const floor = await startProcess({ name: 'floor', file: 'floor.ts', env, preload: ['./usage-probe.ts'] });
  floor.baseUrl = await floor.ask<string>(
    'routes',
    prepared.map(({ route }) => route),
  );
  return floor;
}

async function record(env: Record<string, string>, scenarios: typeof READS, chains: number[]): Promise<PreparedScenario[]> {
  const recorder = await startLayer('api', env, 'statement-recorder.ts');
  const prepared = await step('Recording what the API does', () => prepareScenarios(recorder, scenarios, chains));
  await recorder.stop();
  return prepared;
}

async function compareAll(
  env: Record<string, string>,
  api: Process,
  prepared: PreparedScenario[],
  options: Options,
): Promise<Comparison[]> {
  const floor = await startFloor(env, prepared);
  const comparisons: Comparison[] = [];
  for (const one of prepared) {
    const { label } = one.scenario;
    if (!(await answersAlike({ api, floor }, one))) {
      console.log(`${label}: the floor's answer differs from the API's; adapt bench/floor-shapes.ts`);
    }
    comparisons.push(await step(`Measuring ${label}`, () => compareRequests({ api, floor }, one, options)));
  }
  await floor.stop();
  return comparisons;
}
