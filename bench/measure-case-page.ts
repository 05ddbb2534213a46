import type { LoadJob, LoadResult } from './load.ts';
import { type Process, startProcess } from './processes.ts';
import { seedCaseMoney } from './seed-case-money.ts';

/** How fast something is answered, one call after the other. */
export interface CallFigures {
  label: string;
  requests_per_second: number;
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
  /** The most that the 95th percentile may be; null for what is shown beside it. */
  target: number | null;
}

/** Issue: a rendered case page, at the server, with 10,000 cases and 1,000,000 messages in the database. */
const TARGET_MS = 40;
const ESCROW = 'escrow@demo.test';
const ROOT = 'root@demo.test';
const PASSWORD = 'Demo-Passw0rd!';
const SECONDS = 4;

/** Asks for the pages of many cases in turn, one after the other: what is measured is rendering, not waiting in a queue. */
export async function measureCasePage(env: Record<string, string>, url: string): Promise<CallFigures[]> {
  const { own, others } = await seedCaseMoney(url, ESCROW);
  const settings = { ...env, DATABASE_URL: url };
  const admin = await startProcess({ name: 'admin', file: '../apps/admin/main.ts', env: settings });
  const load = await startProcess({ name: 'case-page', file: 'load.ts', env });
  try {
    const [escrow, root] = [await signIn(admin, ESCROW), await signIn(admin, ROOT)];
    const pages = (cases: number[]) => cases.map((id) => `/cases/${id}`);
    const visit = (label: string, cookie: string, paths: string[], target: number | null, connections = 1) =>
      measure(load, admin, { label, cookie, paths, target, connections });
    return [
      await visit('a case, its specialist', escrow, pages(own), TARGET_MS),
      await visit('any case, an administrator', root, pages(others), TARGET_MS),
      await visit('any case, four at once', root, pages(others), null, 4),
      await visit('the list of cases', root, ['/cases', '/cases?status=active&sort=name', '/cases?q=case+77'], null),
      await visit('the dashboard', escrow, ['/'], null),
    ];
  } finally {
    await Promise.all([load.stop(), admin.stop()]);
  }
}

interface Visit {
  label: string;
  cookie: string;
  paths: string[];
  target: number | null;
  connections: number;
}

async function measure(load: Process, admin: Process, visit: Visit): Promise<CallFigures> {
  const { label, cookie, paths, target, connections } = visit;
  const requests = paths.map((path) => ({ method: 'GET' as const, path, headers: { cookie, accept: 'text/html' } }));
  const job: LoadJob = { url: admin.baseUrl ?? '', connections, seconds: SECONDS, requests };
  // Once for what has to be compiled, planned and read from the disk.
  await load.ask<LoadResult>('load', { ...job, seconds: SECONDS / 2 });
  return figuresOf(await load.ask<LoadResult>('load', job), { label, target });
}

/** What a load came to. @throws {Error} when something was not answered. */
export function figuresOf(result: LoadResult, { label, target }: Pick<CallFigures, 'label' | 'target'>): CallFigures {
  if (result.failures > 0) throw new Error(`${label}: ${result.failures} calls were not answered`);
  const sorted = [...result.latencies].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  const requests_per_second = result.requests / result.seconds;
  return { label, requests_per_second, p50_ms: at(0.5), p95_ms: at(0.95), p99_ms: at(0.99), target };
}

/** Signs in by the form, as a client that is no browser. @returns the session's cookie. */
async function signIn({ baseUrl }: Process, email: string): Promise<string> {
  const response = await fetch(`${baseUrl}/login`, {
    method: 'POST',
    body: new URLSearchParams({ email, password: PASSWORD, user_type: 'admin' }),
    redirect: 'manual',
  });
  const cookie = response.headers.getSetCookie().find((one) => one.startsWith('case_session='));
  if (cookie === undefined) throw new Error(`${email} could not sign in: ${response.status}`);
  return cookie.split(';', 1)[0] ?? '';
}
