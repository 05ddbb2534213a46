import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventParser } from './event-parser.ts';

const STREAM = [
  'retry: 1000\n\n',
  ':\n\n',
  'id: 17\nevent: unread\ndata: {"unread_count":1}\n\n',
  'event: message\ndata:{"a":\ndata: 1}\n\n',
].join('');

const EXPECTED = [
  { event: 'unread', id: '17', data: '{"unread_count":1}' },
  { event: 'message', id: undefined, data: '{"a":\n1}' },
];

test('[LIVE-1] events are complete wherever the stream is cut', () => {
  assert.deepEqual(eventParser()(STREAM), EXPECTED);
  for (let cut = 1; cut < STREAM.length; cut++) {
    const read = eventParser();
    assert.deepEqual([...read(STREAM.slice(0, cut)), ...read(STREAM.slice(cut))], EXPECTED, `cut at ${cut}`);
  }
});

test('CRLF line ends are read, and an event is not returned before its end', () => {
  const read = eventParser();
  assert.deepEqual(read('event: chain\r\ndata: {"chain_id":3}\r\n\r\nevent: chain\ndata: {}'), [
    { event: 'chain', id: undefined, data: '{"chain_id":3}' },
  ]);
});
