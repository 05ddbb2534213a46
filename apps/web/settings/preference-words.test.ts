import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelsOf, channelWords, choiceWords, withChoice } from './preference-words.ts';

const email = { channel: 'email' as const, enabled: true, can_change: false };
const push = { channel: 'push' as const, enabled: true, can_change: true };
const preferences = [
  { event: 'new_message', title: 'New messages', channels: [email, push] },
  { event: 'paid', title: 'Payments', channels: [push] },
];

test('the table has a column for each channel of its events', () => {
  assert.deepEqual(channelsOf(preferences), ['email', 'push']);
  assert.deepEqual(channelsOf([]), []);
  const sms = { channel: 'sms' as const, enabled: true, can_change: true };
  assert.deepEqual(channelsOf([{ event: 'code', title: 'Codes', channels: [sms, push, email] }]), ['email', 'push', 'sms']);
  assert.deepEqual(
    (['email', 'push', 'sms'] as const).map((channel) => [channelWords(channel), choiceWords('News', channel)]),
    [
      ['Email', 'News, by email'],
      ['Device', 'News, on your devices'],
      ['Text', 'News, by text message'],
    ],
  );
});

test('a choice changes one event on one channel', () => {
  const after = withChoice(preferences, 'new_message', 'push', false);
  assert.deepEqual(after[0]?.channels, [email, { ...push, enabled: false }]);
  assert.deepEqual(after[1], preferences[1]);
  assert.deepEqual(withChoice(after, 'new_message', 'push', true), preferences, 'and back again');
});
