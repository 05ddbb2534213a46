import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../api/api-shapes.ts';
import { canTakeBack, chainItems, firstUnread } from './chain-items.ts';

const ME = { id: 1, type: 'intended_parent' };

function message(id: number, created_at: string, part: Partial<Message> = {}): Message {
  return {
    id,
    chain_id: 1,
    from_id: 2,
    from_type: 'admin',
    from_name: 'Escrow',
    to_id: null,
    to_type: null,
    to_admin: false,
    message: `message ${id}`,
    viewed: null,
    created_at,
    client_key: null,
    retracted_at: null,
    files: [],
    ...part,
  };
}

const mine = { from_id: 1, from_type: 'intended_parent' } as const;

function outline(messages: Message[], newFromId: number | null = null, zone = 'UTC') {
  return chainItems(messages, ME, zone, newFromId).map((item) => {
    if (item.kind !== 'message') return item.kind;
    return `${item.mine ? 'mine' : 'theirs'} ${item.message.id}${item.follows ? ' follows' : ''}`;
  });
}

test('messages are grouped by day and by sender', () => {
  const list = [
    message(1, '2026-11-19T10:00:00Z'),
    message(2, '2026-11-19T10:03:00Z'),
    message(3, '2026-11-19T10:30:00Z'),
    message(4, '2026-11-19T10:31:00Z', mine),
    message(5, '2026-11-20T10:00:00Z'),
  ];
  assert.deepEqual(outline(list), ['day', 'theirs 1', 'theirs 2 follows', 'theirs 3', 'mine 4', 'day', 'theirs 5']);
});

test('a day of messages ends at midnight where the reader is', () => {
  const list = [message(1, '2026-11-19T23:59:00Z'), message(2, '2026-11-20T00:01:00Z'), message(3, '2026-11-20T05:01:00Z')];
  assert.deepEqual(outline(list), ['day', 'theirs 1', 'day', 'theirs 2', 'theirs 3']);
  const there = ['day', 'theirs 1', 'theirs 2 follows', 'day', 'theirs 3'];
  assert.deepEqual(outline(list, null, 'America/New_York'), there);
});

test('the same id under another role is another person', () => {
  const list = [message(1, '2026-11-19T10:00:00Z', { from_id: 1, from_type: 'surrogate' })];
  assert.deepEqual(outline(list), ['day', 'theirs 1']);
});

test('the line above the first unread message starts a new group', () => {
  const list = [message(1, '2026-11-19T10:00:00Z'), message(2, '2026-11-19T10:01:00Z')];
  assert.deepEqual(outline(list, 2), ['day', 'theirs 1', 'new', 'theirs 2']);
});

test('[UNREAD-5] a person’s own messages are never unread', () => {
  const viewed = '2026-11-19T11:00:00Z';
  const list = [
    message(1, '2026-11-19T10:00:00Z', { viewed }),
    message(2, '2026-11-19T10:01:00Z', mine),
    message(3, '2026-11-19T10:02:00Z'),
  ];
  assert.equal(firstUnread(list, ME)?.id, 3);
  assert.equal(firstUnread(list.slice(0, 2), ME), null);
});

test('[MESSAGE-6] a message that was taken back is not unread, and can be taken back once, within 24 hours', () => {
  const now = Date.parse('2026-11-20T10:00:00Z');
  const fresh = message(1, '2026-11-19T10:00:01Z');
  const old = message(2, '2026-11-19T10:00:00Z');
  const gone = message(3, '2026-11-20T09:59:00Z', { retracted_at: '2026-11-20T09:59:30Z' });
  assert.deepEqual(
    [fresh, old, gone].map((one) => canTakeBack(one, now)),
    [true, false, false],
  );
  assert.equal(firstUnread([gone], ME), null);
});
