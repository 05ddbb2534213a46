import type { LoadRequest } from 'autocannon';
import { samplePdf } from '../../scripts/demo/sample-files.ts';
import { sendOnce } from '../record-requests.ts';
import { BENCH_PASSWORD, BENCH_USERS, type BenchUser, formBody, reply } from '../scenarios.ts';

/** Those who ask, each with a token of now. */
type Tokens = Record<BenchUser, string>;

const JSON_HEADERS = { 'content-type': 'application/json' };
/** One request in so many is a message, one in so many has a file, one in so many is a sign-in. */
const A_MESSAGE = 20;
const A_FILE = 100;
const A_SIGN_IN = 500;
const READS = [
  ...['/api/home', '/api/messages', '/api/messages/unread/count', '/api/cases', '/api/disbursements', '/api/user/me'],
  ...['/api/messages?q=receipt', '/api/notifications/preferences'],
];
const OF_A_CASE = ['', '/timeline', '/benefits', '/documents', '/disbursements', '/statement', '/messages'];

/** Signs both in. */
export async function signInBoth(api: string): Promise<Tokens> {
  const [parent, escrow] = await Promise.all([tokenOf(api, 'parent'), tokenOf(api, 'escrow')]);
  return { parent, escrow };
}

/** What people do in the demo, in the order in which a connection asks it: mostly reading, now and then a message, seldom a sign-in. */
export async function listRequests(api: string, tokens: Tokens): Promise<LoadRequest[]> {
  const [parent, escrow] = await Promise.all([readsOf(api, tokens.parent), readsOf(api, tokens.escrow)]);
  const [chain] = parent.chains;
  if (chain === undefined) throw new Error('the demo has no open conversation');
  const reads = [...parent.requests, ...escrow.requests];
  const send = (body: Buffer) => {
    const message = reply(chain, body);
    return { ...message, headers: { ...message.headers, ...bearer(tokens.parent) } };
  };
  const [text, file] = [send(formBody()), send(formBody(samplePdf('A receipt'.padEnd(400, '.'))))];
  return Array.from({ length: A_SIGN_IN }, (_, at) => {
    if (at === 0) return signInRequest('parent');
    if (at % A_MESSAGE === 0) return at % A_FILE === 0 ? file : text;
    return reads[at % reads.length] ?? text;
  });
}

/** Opens a page's stream of what changes, which somebody has to read. @returns what ends it. */
export async function openStream(api: string, token: string): Promise<() => void> {
  const ending = new AbortController();
  const { body, status } = await fetch(`${api}/api/messages/events`, {
    headers: { ...bearer(token), accept: 'text/event-stream' },
    signal: ending.signal,
  });
  if (status !== 200 || body === null) throw new Error(`a stream is answered ${status}`);
  void body.pipeTo(new WritableStream()).catch(() => {});
  return () => ending.abort();
}

async function readsOf(api: string, token: string): Promise<{ requests: LoadRequest[]; chains: number[] }> {
  const read = (path: string): LoadRequest => ({ method: 'GET', path, headers: bearer(token) });
  const list = async (path: string) =>
    ((await sendOnce(api, read(path))) as { data: { id: number; status: string }[] }).data;
  const [chains, cases] = await Promise.all([list('/api/messages'), list('/api/cases')]);
  const ofCases = cases.slice(0, 3).flatMap(({ id }) => OF_A_CASE.map((part) => `/api/cases/${id}${part}`));
  const ofChains = chains.slice(0, 5).map(({ id }) => `/api/messages/${id}`);
  const asked = [...READS, ...ofCases, ...ofChains].map(read);
  const answers = await Promise.all(asked.map(({ path, headers }) => fetch(api + path, { headers })));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  return {
    // What this one may not see is not asked for.
    requests: asked.filter((_, at) => answers[at]?.ok),
    chains: chains.filter(({ status }) => status === 'open').map(({ id }) => id),
  };
}

async function tokenOf(api: string, user: BenchUser): Promise<string> {
  return ((await sendOnce(api, signInRequest(user))) as { access_token: string }).access_token;
}

function signInRequest(user: BenchUser): LoadRequest {
  const body = JSON.stringify({ ...BENCH_USERS[user], pass_hash: BENCH_PASSWORD });
  return { method: 'POST', path: '/api/user/auth/login', headers: JSON_HEADERS, body };
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}
