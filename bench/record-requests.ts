import type { LoadRequest } from 'autocannon';
import type { FloorRoute } from './floor.ts';
import type { Process } from './processes.ts';
import { BENCH_PASSWORD, BENCH_USERS, type BenchUser, type Scenario, SENT_TEXT } from './scenarios.ts';
import type { Statement } from './statement-recorder.ts';

/** A scenario with the requests to send, token included, and what the API did for the first of them. */
export interface PreparedScenario {
  scenario: Scenario;
  requests: LoadRequest[];
  /** What the API answered to the first request. */
  answer: unknown;
  /** Null where there is no floor. */
  floor: FloorRoute | null;
}

/** Signs in and makes each scenario's first request of a recording API. */
export async function recordRequests(
  api: Process,
  scenarios: Scenario[],
  chains: number[],
): Promise<PreparedScenario[]> {
  const prepared: PreparedScenario[] = [];
  for (const scenario of scenarios) {
    const authorization = `Bearer ${await signIn(api, scenario.user)}`;
    const requests = scenario.requests(chains).map((request) => ({
      ...request,
      headers: { ...request.headers, authorization },
    }));
    const [first] = requests;
    if (first === undefined) throw new Error(`${scenario.label} has no request`);
    await api.ask('statements');
    const answer = await sendOnce(api.baseUrl ?? '', first);
    const statements = await api.ask<Statement[]>('statements');
    prepared.push({ scenario, requests, answer, floor: floorRoute(scenario, first, { answer, statements }) });
  }
  return prepared;
}

/** Makes one request and gives its JSON. */
export async function sendOnce(baseUrl: string, { method, path, headers, body }: LoadRequest): Promise<unknown> {
  const init = { method, headers, signal: AbortSignal.timeout(30_000) };
  const response = await fetch(
    baseUrl + path,
    body === undefined ? init : { ...init, body: new Uint8Array(Buffer.from(body)) },
  );
  if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${await response.text()}`);
  return response.json();
}

/** @returns the token of somebody who signs in. */
export async function signIn(api: Process, user: BenchUser): Promise<string> {
  const body = JSON.stringify({ ...BENCH_USERS[user], pass_hash: BENCH_PASSWORD });
  const headers = { 'content-type': 'application/json' };
  const answer = await sendOnce(api.baseUrl ?? '', { method: 'POST', path: '/api/user/auth/login', headers, body });
  return (answer as { access_token: string }).access_token;
}

function floorRoute(
  { shape, user }: Scenario,
  { method, path }: LoadRequest,
  { answer, statements }: { answer: unknown; statements: Statement[] },
): FloorRoute | null {
  if (shape === undefined) return null;
  const route = { method, shape, statements, path: floorPath(user, path) };
  if (method === 'GET') return route;
  const { message } = answer as { message: { id: number; chain_id: number } };
  const recorded = { chainId: message.chain_id, messageId: message.id, text: SENT_TEXT };
  return { ...route, path: route.path.replace(String(message.chain_id), ':chain_id'), recorded };
}

/** The floor keeps users and queries apart by path: each has statements of its own. */
export function floorPath(user: BenchUser, path: string): string {
  return `/${user}${path.replaceAll(/[?=&]/g, '/')}`;
}
