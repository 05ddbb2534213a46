import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { FloorRoute } from './floor.ts';
import type { ShapeName } from './floor-shapes.ts';
import { type BenchRequest, sendForJson } from './load.ts';
import type { Process } from './processes.ts';
import { SIGN_IN_ACCOUNTS } from './seed-bench.ts';
import { FIRST_MESSAGE } from './seed-messages.ts';
import type { Statement } from './statement-recorder.ts';

/** An operation that is measured beside the floor. */
interface Scenario {
  /** The name for `--only`, which several scenarios may share. */
  name: string;
  label: string;
  /** A parent with about 20 conversations, or the escrow specialist of 20 cases. */
  user: keyof typeof BENCH_USERS;
  /** The function with which the floor makes the answer from the rows of its statements. */
  shape: ShapeName;
  /** The least share of the floor's requests a second. */
  target: number | null;
  /** The requests, which are sent in turn. `chains` are conversations that the parent may write to. */
  requests(chains: number[]): BenchRequest[];
}

/** A scenario with its requests, including the token, and those for the floor, which has a route for each user and query. */
export interface PreparedScenario {
  scenario: Scenario;
  requests: BenchRequest[];
  floorRequests: BenchRequest[];
  route: FloorRoute;
}

const BENCH_USERS = {
  parent: { email_address: 'parent@demo.test', user_type: 'intended_parent' },
  escrow: { email_address: 'escrow@demo.test', user_type: 'admin' },
} as const;
const PASSWORD = 'Demo-Passw0rd!';
const JSON_HEADERS = { 'content-type': 'application/json' };
const BOUNDARY = 'case-platform-bench-boundary';
/** The floor recognizes the text of a message among the values of a statement. */
const SENT_TEXT = 'Thank you, the receipts arrived. The next installment leaves on Friday.';
const FORM = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="message"\r\n\r\n${SENT_TEXT}\r\n--${BOUNDARY}--\r\n`;

/** A word that is in only one message of the measured parent, however many messages there are. */
const RARE_WORD = createHash('md5').update(String(FIRST_MESSAGE)).digest('hex');
const [READ_TARGET, SIGN_IN_TARGET] = [0.8, 0.85];

export const READS: Scenario[] = [
  ...read('unread', 'unread count', 'counts', () => '/api/messages/unread/count'),
  ...read('list', 'chain list', 'chains', () => '/api/messages'),
  ...read('thread', 'chain read', 'thread', ([chain]) => `/api/messages/${chain}`),
  ...read('search', 'search, a rare word', 'chains', () => `/api/messages?q=${RARE_WORD}`),
  ...read('search', 'search, a common word', 'chains', () => '/api/messages?q=receipt'),
];

export const SEND: Scenario = {
  name: 'send',
  label: 'send, text only',
  user: 'parent',
  shape: 'message',
  target: null,
  requests: (chains) =>
    chains.map((chain) => {
      const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
      return { method: 'POST', path: `/api/messages/${chain}`, headers, body: Buffer.from(FORM) };
    }),
};

/** Many people sign in, because sign-ins of one account wait for each other. The floor only verifies the password. */
export const SIGN_IN: Scenario = {
  name: 'sign-in',
  label: 'sign-in',
  user: 'parent',
  shape: 'none',
  target: SIGN_IN_TARGET,
  requests: () => SIGN_IN_ACCOUNTS.map((email_address) => signInRequest({ email_address, user_type: 'intended_parent' })),
};

function read(name: string, label: string, shape: ShapeName, path: (chains: number[]) => string): Scenario[] {
  const requests = (chains: number[]): BenchRequest[] => [{ method: 'GET', path: path(chains), headers: {} }];
  const rest = { name, shape, target: READ_TARGET, requests };
  return [
    { ...rest, label: `${label}, parent`, user: 'parent' },
    { ...rest, label: `${label}, admin`, user: 'escrow' },
  ];
}

/** Sends each scenario's first request to a recording API, and derives the floor's route from the recorded statements. */
export async function prepareScenarios(recorder: Process, scenarios: Scenario[], chains: number[]): Promise<PreparedScenario[]> {
  const prepared: PreparedScenario[] = [];
  for (const scenario of scenarios) {
    const authorization = await signIn(recorder, scenario.user);
    const requests = scenario.requests(chains).map((request) => ({ ...request, headers: { ...request.headers, authorization } }));
    const first = requests[0] as BenchRequest;
    await recorder.ask('statements');
    const answer = await sendForJson<{ message?: { id: number; chain_id: number } }>(recorder.baseUrl, first);
    const statements = await recorder.ask<Statement[]>('statements');
    const floorRequests = requests.map((request) => ({ ...request, path: floorPath(scenario, request.path) }));
    const route: FloorRoute = {
      method: first.method,
      path: floorPath(scenario, first.path),
      shape: scenario.shape,
      statements,
    };
    if (answer.message !== undefined) {
      const { id: messageId, chain_id: chainId } = answer.message;
      route.path = route.path.replace(String(chainId), ':chain_id');
      route.recorded = { chainId, messageId, text: SENT_TEXT };
    }
    prepared.push({ scenario, requests, floorRequests, route });
  }
  return prepared;
}

/** @returns the value of an `Authorization` header */
export async function signIn({ baseUrl }: Process, user: keyof typeof BENCH_USERS): Promise<string> {
  const { access_token } = await sendForJson<{ access_token: string }>(baseUrl, signInRequest(BENCH_USERS[user]));
  return `Bearer ${access_token}`;
}

function signInRequest(account: { email_address: string; user_type: string }): BenchRequest {
  const body = Buffer.from(JSON.stringify({ ...account, pass_hash: PASSWORD }));
  return { method: 'POST', path: '/api/user/auth/login', headers: JSON_HEADERS, body };
}

function floorPath({ user }: Scenario, path: string): string {
  return `/${user}${path.replaceAll(/[?=&]/g, '/')}`;
}

/** Returns whether both sides answer the first request with the same JSON, except for ids and times of a new message. */
export async function answersAlike(
  { api, floor }: { api: Process; floor: Process },
  { scenario, requests, floorRequests }: PreparedScenario,
): Promise<boolean> {
  if (scenario.shape === 'none') return true;
  const [ours, theirs] = [
    await sendForJson<{ message?: object }>(api.baseUrl, requests[0] as BenchRequest),
    await sendForJson<{ message?: object }>(floor.baseUrl, floorRequests[0] as BenchRequest),
  ];
  for (const { message } of [ours, theirs]) Object.assign(message ?? {}, { id: 0, created_at: '', viewed: '' });
  return isDeepStrictEqual(ours, theirs);
}
