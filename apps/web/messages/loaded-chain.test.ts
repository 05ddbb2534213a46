import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainWithMessages, Message } from '../api/api-shapes.ts';
import {
  type Loaded,
  loadedMessages,
  recordArrival,
  withArrived,
  withMessage,
  withRetracted,
  withViewed,
} from './loaded-chain.ts';

const FILE = { filename: 'a.pdf', content_type: 'application/pdf', size: 1, url: '/a', url_expires_at: '2026-11-26T12:00:00Z' };
const message = (id: number, fields: Partial<Message> = {}): Message => ({
  id,
  chain_id: 1,
  from_id: 7,
  from_type: 'surrogate',
  from_name: 'Sarah',
  to_id: null,
  to_type: null,
  to_admin: true,
  client_key: null,
  message: `m${id}`,
  files: [{ id, ...FILE }],
  viewed: null,
  created_at: '2026-11-26T10:00:00Z',
  retracted_at: null,
  ...fields,
});
const CHAIN: ChainWithMessages['chain'] = {
  id: 1,
  subject: '',
  case_id: null,
  status: 'open',
  assigned_admin_id: null,
  chain_has_unread_msg_admin: false,
  unread_count: 0,
  participants: [],
  last_message: { id: 1, preview: 'm1', from_type: 'surrogate', from_id: 7, created_at: '2026-11-26T10:00:00Z' },
  created_at: '2026-11-26T10:00:00Z',
};
/** Pages of messages, the newest first, as the API returns them. */
const chain = (...pages: Message[][]): Loaded<ChainWithMessages> => ({
  pages: pages.map((data) => ({ chain: CHAIN, messages: { data, next_cursor: null } })),
  pageParams: pages.map(() => null),
});
const ids = (data: Loaded<ChainWithMessages> | undefined) => loadedMessages(data).map(({ id }) => id);

test('loaded messages are listed oldest first, and each once', () => {
  assert.deepEqual(ids(undefined), []);
  assert.deepEqual(ids(chain([message(9), message(5)], [message(5), message(1)])), [1, 5, 9]);
});

test('messages up to one are viewed, and those viewed before keep their time', () => {
  const viewed = withViewed(chain([message(9), message(5)], [message(4, { viewed: 'before' }), message(1)]), 5, 'now');
  assert.deepEqual(
    loadedMessages(viewed).map(({ id, viewed }) => [id, viewed]),
    [
      [1, 'now'],
      [4, 'before'],
      [5, 'now'],
      [9, null],
    ],
  );
  assert.equal(withViewed(undefined, 5, 'now'), undefined);
});

test('[MESSAGE-6] a message that was taken back is empty, and no other', () => {
  const retracted = loadedMessages(withRetracted(chain([message(2), message(1)]), 1, 'now'));
  assert.deepEqual(
    retracted.map(({ message, files, retracted_at }) => [message, files.length, retracted_at]),
    [
      ['', 0, 'now'],
      ['m2', 1, null],
    ],
  );
});

test('[LIVE-5] a new message comes into the first page, and one that is loaded is replaced wherever it is', () => {
  const pages = (data: Loaded<ChainWithMessages> | undefined) =>
    data?.pages.map(({ messages }) => messages.data.map(({ id, message, viewed }) => `${id} ${message} ${viewed}`));
  const data = chain([message(9), message(5)], [message(4, { viewed: 'before' })]);
  assert.deepEqual(pages(withMessage(data, message(7))), [['9 m9 null', '7 m7 null', '5 m5 null'], ['4 m4 before']]);
  assert.deepEqual(pages(withMessage(data, message(4, { message: 'changed' }))), [
    ['9 m9 null', '5 m5 null'],
    ['4 changed before'],
  ]);
  assert.deepEqual(pages(withMessage(data, message(5, { viewed: 'now' }))), [['9 m9 null', '5 m5 now'], ['4 m4 before']]);
  assert.equal(withMessage(undefined, message(1)), undefined);
});

test('[LIVE-5] messages that arrived while a chain was fetched are added to it, and none of another or older', () => {
  for (const one of [message(20), message(21, { chain_id: 2 }), message(10), message(22)]) recordArrival(one);
  assert.deepEqual(ids(withArrived(chain([message(10), message(9)]), 1)), [9, 10, 20, 22]);
  for (let id = 100; id < 150; id++) recordArrival(message(id));
  assert.equal(ids(withArrived(chain([message(10)]), 1)).length, 51, 'the last fifty are remembered');
  assert.deepEqual(ids(withArrived(chain([]), 2)), [], 'an older one is forgotten');
});
