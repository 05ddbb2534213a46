import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { LoadJob, LoadResult } from './load.ts';
import { type Process, startProcess } from './processes.ts';
import { BENCH_USERS } from './scenarios.ts';

/** How signing in holds up. */
export interface SignInFigures {
  logins_per_second: number;
  bare_argon2id_per_second: number;
  /** Median of the rounds. */
  ratio: number;
  /** Medians of a wrong password, in milliseconds: of accounts that exist, and of ones that do not. */
  known_ms: number;
  unknown_ms: number;
  /** The unread count's 99th percentile while a hundred people sign in at the same moment. */
  unread_p99_ms: number;
}

const PASSWORD = 'Demo-Passw0rd!';
const ROUNDS = 6;
const TRIES = 200;
const LOGINS_AT_ONCE = 100;
const WARM_UP_SECONDS = 3;

/** Measures logins beside bare argon2id, both on all cores, taken in turns; then what a login tells and costs others. */
export async function measureSignIn(
  env: Record<string, string>,
  api: Process,
  { url, seconds }: { url: string; seconds: number },
): Promise<SignInFigures> {
  await addAccounts(url);
  const bare = await startProcess({ name: 'argon-floor', file: 'argon-floor.ts', env });
  const rounds: { logins: number; hashes: number }[] = [];
  // Long enough for the server's code to be compiled: what counts is how it goes on.
  await loginsFor(api, WARM_UP_SECONDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    const logins = await loginsFor(api, 3 * seconds);
    rounds.push({ logins, hashes: await bare.ask<number>('verify', { seconds: 3 * seconds }) });
  }
  await bare.stop();
  return {
    logins_per_second: median(rounds.map(({ logins }) => logins)),
    bare_argon2id_per_second: median(rounds.map(({ hashes }) => hashes)),
    ratio: median(rounds.map(({ logins, hashes }) => logins / hashes)),
    ...(await measureEnumeration(api)),
    unread_p99_ms: await measureNeighbours(env, api),
  };
}

/** Accounts of one's own for each try: the throttle counts failures by account. */
async function addAccounts(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into user_account (email_address, user_type, password_hash)
     select 'sign-in-' || n || '@demo.test', 'ip', u.password_hash
       from generate_series(1, $1::int) n, user_account u
      where u.email_address = 'parent@demo.test' and u.user_type = 'ip'`,
    [TRIES],
  );
  await client.end();
}

async function loginsFor(api: Process, seconds: number): Promise<number> {
  const start = performance.now();
  let done = 0;
  const lane = async (lane: number) => {
    for (let n = lane; performance.now() - start < seconds * 1000; n += 1) {
      await login(api, `sign-in-${1 + (n % TRIES)}@demo.test`, PASSWORD, 200);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, (_, at) => lane(at * 40)));
  return done / ((performance.now() - start) / 1000);
}

/** Known and unknown in turns: the answers are the same, and so must be the time they take. */
async function measureEnumeration(api: Process): Promise<{ known_ms: number; unknown_ms: number }> {
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let n = 1; n <= TRIES; n += 1) {
    times.known.push(await timed(() => login(api, `sign-in-${n}@demo.test`, 'wrong password', 401)));
    times.unknown.push(await timed(() => login(api, `nobody-${n}@demo.test`, 'wrong password', 401)));
  }
  return { known_ms: median(times.known), unknown_ms: median(times.unknown) };
}

async function measureNeighbours(env: Record<string, string>, api: Process): Promise<number> {
  const { access_token } = await login(api, BENCH_USERS.parent.email_address, PASSWORD, 200);
  const load = await startProcess({ name: 'neighbours', file: 'load.ts', env });
  const headers = { authorization: `Bearer ${access_token}` };
  const job: LoadJob = {
    url: api.baseUrl ?? '',
    connections: 2,
    seconds: 3,
    requests: [{ method: 'GET', path: '/api/messages/unread/count', headers }],
  };
  const running = load.ask<LoadResult>('load', job);
  await sleep(300);
  const logins = Array.from({ length: LOGINS_AT_ONCE }, (_, n) =>
    login(api, `sign-in-${n + 1}@demo.test`, PASSWORD, 200),
  );
  const [{ latencies }] = await Promise.all([running, ...logins]);
  await load.stop();
  return [...latencies].sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? 0;
}

/** By the bare client: `fetch` costs the machine that is measured several times as much. */
const agent = new Agent({ keepAlive: true });

async function login(api: Process, email_address: string, pass_hash: string, expected: number) {
  const body = JSON.stringify({ email_address, user_type: 'intended_parent', pass_hash });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent = request(`${api.baseUrl}/api/user/auth/login`, { method: 'POST', agent, headers }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  if (response.statusCode !== expected) throw new Error(`a login answered ${response.statusCode}, not ${expected}`);
  return JSON.parse(Buffer.concat(chunks).toString()) as { access_token: string };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
