import { createHash } from 'node:crypto';
import { type BenchRequest, sendForJson } from './load.ts';
import type { Process } from './processes.ts';
import { SIGN_IN_ACCOUNTS } from './seed-bench.ts';
import { FIRST_MESSAGE } from './seed-messages.ts';

/** An operation that is measured. */
interface Scenario {
  /** The name for `--only`, which several scenarios may share. */
  name: string;
  label: string;
  /** A parent with about 20 conversations, or the escrow specialist of 20 cases. */
  user: keyof typeof BENCH_USERS;
  /** The requests, which are sent in turn. `chains` are conversations that the parent may write to. */
  requests(chains: number[]): BenchRequest[];
}

const BENCH_USERS = {
  parent: { email_address: 'parent@demo.test', user_type: 'intended_parent' },
  escrow: { email_address: 'escrow@demo.test', user_type: 'admin' },
} as const;
const PASSWORD = 'Demo-Passw0rd!';
const JSON_HEADERS = { 'content-type': 'application/json' };
const BOUNDARY = 'case-platform-bench-boundary';
const SENT_TEXT = 'Thank you, the receipts arrived. The next installment leaves on Friday.';
const FORM = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="message"\r\n\r\n${SENT_TEXT}\r\n--${BOUNDARY}--\r\n`;

/** A word that is in only one message of the measured parent, however many messages there are. */
const RARE_WORD = createHash('md5').update(String(FIRST_MESSAGE)).digest('hex');

export const READS: Scenario[] = [
  ...read('unread', 'unread count', () => '/api/messages/unread/count'),
  ...read('list', 'chain list', () => '/api/messages'),
  ...read('thread', 'chain read', ([chain]) => `/api/messages/${chain}`),
  ...read('search', 'search, a rare word', () => `/api/messages?q=${RARE_WORD}`),
  ...read('search', 'search, a common word', () => '/api/messages?q=receipt'),
];

export const SEND: Scenario = {
  name: 'send',
  label: 'send, text only',
  user: 'parent',
  requests: (chains) =>
    chains.map((chain) => {
      const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
      return { method: 'POST', path: `/api/messages/${chain}`, headers, body: Buffer.from(FORM) };
    }),
};

/** Many people sign in, because sign-ins of one account wait for each other. */
export const SIGN_IN: Scenario = {
  name: 'sign-in',
  label: 'sign-in',
  user: 'parent',
  requests: () => SIGN_IN_ACCOUNTS.map((email_address) => signInRequest({ email_address, user_type: 'intended_parent' })),
};

function read(name: string, label: string, path: (chains: number[]) => string): Scenario[] {
  const requests = (chains: number[]): BenchRequest[] => [{ method: 'GET', path: path(chains), headers: {} }];
  const rest = { name, requests };
  return [
    { ...rest, label: `${label}, parent`, user: 'parent' },
    { ...rest, label: `${label}, admin`, user: 'escrow' },
  ];
}

/** Returns the requests of a scenario with its user's token. */
export async function prepareRequests(api: Process, { user, requests }: Scenario, chains: number[]): Promise<BenchRequest[]> {
  const authorization = await signIn(api, user);
  return requests(chains).map((request) => ({ ...request, headers: { ...request.headers, authorization } }));
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
