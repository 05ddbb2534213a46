import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type BenchRequest, send } from './load.ts';
import type { Process } from './processes.ts';
import type { PreparedScenario } from './scenarios.ts';

/** The costs of one call of an operation, without the work that it leaves to workers. */
export interface Cost {
  operation: string;
  /** Statements, which is the number of round trips to the database. */
  statements: number;
  transactions: number;
  /** Pages of 8 KiB that were read, nearly all from memory. */
  buffers: number;
  wal_bytes: number;
  api_cpu_us: number;
  database_cpu_us: number;
}

/** The totals since the server started. CPU times are in microseconds. */
interface Totals {
  transactions: number;
  buffers: number;
  wal_bytes: number;
  api_cpu_us: number;
  database_cpu_us: number;
}

const CALLS = 400;
const WARM_UP_CALLS = 40;
/** Connections report what they did up to a second later. */
const REPORTED_AFTER_MS = 1500;
/** The kernel counts CPU time in hundredths of a second. */
const TICK_US = 10_000;

/** Measures each operation by itself, one call after the other, and subtracts what an idle process does in the same time. */
export async function measureCosts(api: Process, prepared: PreparedScenario[], url: string): Promise<Cost[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const costs: Cost[] = [];
  try {
    for (const { scenario, requests, route } of prepared) {
      await callEach(api, requests, WARM_UP_CALLS);
      const idle = await growthOf(api, client, () => sleep(2000));
      const busy = await growthOf(api, client, () => callEach(api, requests, CALLS));
      const cost = (name: keyof Totals) =>
        Math.max(0, busy.totals[name] - (idle.totals[name] * busy.milliseconds) / idle.milliseconds) / CALLS;
      costs.push({
        operation: scenario.label,
        statements: route.statements.length,
        transactions: Math.round(cost('transactions') * 10) / 10,
        buffers: Math.round(cost('buffers')),
        wal_bytes: Math.round(cost('wal_bytes')),
        api_cpu_us: Math.round(cost('api_cpu_us')),
        database_cpu_us: Math.round(cost('database_cpu_us')),
      });
    }
  } finally {
    await client.end();
  }
  return costs;
}

async function callEach({ baseUrl }: Process, requests: readonly BenchRequest[], count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await send(baseUrl, requests[n % requests.length] as BenchRequest);
}

async function growthOf(api: Process, client: pg.Client, work: () => Promise<unknown>) {
  const before = await readTotals(api, client);
  const start = performance.now();
  await work();
  await sleep(REPORTED_AFTER_MS);
  const milliseconds = performance.now() - start;
  return { milliseconds, totals: subtract(await readTotals(api, client), before) };
}

function subtract(after: Totals, before: Totals): Totals {
  return {
    transactions: after.transactions - before.transactions,
    buffers: after.buffers - before.buffers,
    wal_bytes: after.wal_bytes - before.wal_bytes,
    api_cpu_us: after.api_cpu_us - before.api_cpu_us,
    database_cpu_us: after.database_cpu_us - before.database_cpu_us,
  };
}

async function readTotals(api: Process, client: pg.Client): Promise<Totals> {
  const { rows } = await client.query<Omit<Totals, 'api_cpu_us' | 'database_cpu_us'> & { pids: number[] }>(
    `select (xact_commit + xact_rollback)::float8 as transactions, (blks_hit + blks_read)::float8 as buffers,
            (select wal_bytes::float8 from pg_stat_wal) as wal_bytes,
            array(select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()) as pids
       from pg_stat_database where datname = current_database()`,
  );
  const [{ pids, ...totals }] = rows as [(typeof rows)[number]];
  const database_cpu_us = pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
  return { ...totals, api_cpu_us: await api.ask<number>('usage'), database_cpu_us };
}

/** The CPU time of a process in microseconds (proc(5): fields 14 and 15, of which the second has parentheses). */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [utime = 0, stime = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (utime + stime) * TICK_US;
}
