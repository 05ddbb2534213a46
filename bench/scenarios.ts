import { createHash } from 'node:crypto';
import type { LoadRequest } from 'autocannon';
import { samplePdf } from '../scripts/demo/sample-files.ts';
import type { ShapeName } from './floor-shapes.ts';
import { FIRST_MESSAGE } from './seed-messages.ts';

/** What is measured. */
export interface Scenario {
  /** What `--only` calls it; several scenarios may share one. */
  name: string;
  label: string;
  /** Who asks: a parent of some 20 chains, or the Escrow Specialist of 20 cases. */
  user: BenchUser;
  /** How the floor makes the answer from the last statement's rows; without it there is no floor to compare with. */
  shape?: ShapeName;
  /** The least share of the floor's requests a second. */
  target?: number;
  /** One request, or several that are sent in turn. `chains` are those that the user may write into. */
  requests(chains: number[]): LoadRequest[];
}

export const BENCH_USERS = {
  parent: { email_address: 'parent@demo.test', user_type: 'intended_parent' },
  escrow: { email_address: 'escrow@demo.test', user_type: 'admin' },
} as const;
export const BENCH_PASSWORD = 'Demo-Passw0rd!';
export type BenchUser = keyof typeof BENCH_USERS;

/** The least share of the bare floor's speed that a read may have. */
const READ_TARGET = 0.6;

/** What is sent; also how the floor recognises the text among a statement's values. */
export const SENT_TEXT = 'Thank you, the receipts arrived. The next instalment leaves on Friday.';

/** In one message of the measured parent's, however many there are. */
const RARE_WORD = createHash('md5').update(String(FIRST_MESSAGE)).digest('hex');

const BOUNDARY = 'case-platform-bench-boundary';
const FORM_HEADERS = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

export const SCENARIOS: Scenario[] = [
  {
    name: 'unread',
    label: 'unread count, parent',
    user: 'parent',
    shape: 'counts',
    ...read('/api/messages/unread/count'),
  },
  {
    name: 'unread',
    label: 'unread count, admin',
    user: 'escrow',
    shape: 'counts',
    ...read('/api/messages/unread/count'),
  },
  { name: 'list', label: 'chain list, parent', user: 'parent', shape: 'chains', ...read('/api/messages') },
  { name: 'list', label: 'chain list, admin', user: 'escrow', shape: 'chains', ...read('/api/messages') },
  thread('parent'),
  thread('escrow'),
  { name: 'search', label: 'search, a rare word, parent', user: 'parent', shape: 'chains', ...read(search(RARE_WORD)) },
  { name: 'search', label: 'search, a rare word, admin', user: 'escrow', shape: 'chains', ...read(search(RARE_WORD)) },
  {
    name: 'search',
    label: 'search, a common word, admin',
    user: 'escrow',
    shape: 'chains',
    ...read(search('receipt')),
  },
  {
    name: 'send',
    label: 'send, text only',
    user: 'parent',
    shape: 'message',
    requests: (chains) => chains.map((chain) => reply(chain, formBody())),
  },
  {
    name: 'send',
    label: 'send, 1 KB PDF attached',
    user: 'parent',
    requests: (chains) => chains.map((chain) => reply(chain, formBody(samplePdf('A receipt'.padEnd(400, '.'))))),
  },
];

function thread(user: BenchUser): Scenario {
  const requests = ([chain]: number[]) => [{ method: 'GET' as const, path: `/api/messages/${chain}`, headers: {} }];
  const label = `chain read, ${user === 'parent' ? 'parent' : 'admin'}`;
  return { name: 'thread', label, user, shape: 'thread', target: READ_TARGET, requests };
}

function search(words: string): string {
  return `/api/messages?q=${words}`;
}

function read(path: string): Pick<Scenario, 'requests' | 'target'> {
  return { target: READ_TARGET, requests: () => [{ method: 'GET', path, headers: {} }] };
}

/** A message into a chain. */
export function reply(chain: number, body: Buffer): LoadRequest {
  return { method: 'POST', path: `/api/messages/${chain}`, headers: FORM_HEADERS, body };
}

/** What a browser sends of a message, with a file where one is given. */
export function formBody(pdf?: Buffer): Buffer {
  const part = (disposition: string, content: Buffer | string) => [
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`,
    content,
    '\r\n',
  ];
  const pieces = part('name="message"', SENT_TEXT);
  if (pdf !== undefined) {
    pieces.push(...part('name="files"; filename="receipt.pdf"\r\nContent-Type: application/pdf', pdf));
  }
  return Buffer.concat([...pieces, `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece)));
}
