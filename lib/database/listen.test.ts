import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { IS_WRITABLE, LimitedClient } from './database-client.ts';
import { listenTo } from './listen.ts';

test('[DATABASE-3] a connection that listens is probed again and again, and replaced when a probe fails', async (t) => {
  const { url } = await createTestDatabase();
  let probes = 0;
  let answer: unknown;
  const { query } = LimitedClient.prototype;
  t.mock.method(LimitedClient.prototype, 'query', async function (this: LimitedClient, ...args: Parameters<typeof query>) {
    const result = await query.apply(this, args);
    if (String(args[0]) !== IS_WRITABLE) return result;
    probes += 1;
    return answer === undefined ? result : { rows: [answer] };
  });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const [connections, losses] = [[] as number[], [] as string[]];
  const listening = listenTo({
    url,
    channels: ['listened'],
    onNotification: () => {},
    onConnected: () => connections.push(probes),
    onLost: (error) => losses.push(String(error)),
  });
  await eventually('it is connected', () => connections.length === 1);
  const first = probes;
  for (const count of [1, 2, 3]) {
    t.mock.timers.tick(15_000);
    await eventually(`probe ${count}`, () => probes === first + count);
  }
  answer = { writable: false };
  await eventually('the server is left', () => {
    t.mock.timers.tick(15_000);
    return losses.length === 1;
  });
  answer = undefined;
  await eventually('it is connected again', () => {
    t.mock.timers.tick(200);
    return connections.length === 2;
  });
  assert.deepEqual(losses, ['Error: the server is read-only']);
  await listening.stop();
});

test('[DATABASE-3] a lost connection is replaced after a wait that grows with each failure, and not after the end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  let isAway = false;
  const clients: LimitedClient[] = [];
  const statements: string[] = [];
  t.mock.method(LimitedClient.prototype, 'connect', async function (this: LimitedClient) {
    clients.push(this);
    if (isAway) throw new Error('away');
  });
  t.mock.method(LimitedClient.prototype, 'query', async (text: string) => {
    statements.push(text);
    return { rows: [{ writable: true }] };
  });
  t.mock.method(LimitedClient.prototype, 'end', async () => {});
  const heard: string[] = [];
  let [connections, losses] = [0, 0];
  const listening = listenTo({
    url: 'postgres://u:p@db.test/x',
    channels: ['one', 'the "other"'],
    onNotification: (payload, channel) => heard.push(`${channel}: ${payload}`),
    onConnected: () => (connections += 1),
    onLost: () => (losses += 1),
  });
  await settle();
  assert.deepEqual(statements, ['listen "one"; listen "the ""other"""']);
  for (const channel of ['one', 'the "other"']) clients[0]?.emit('notification', { payload: 'x', channel });
  clients[0]?.emit('notification', { channel: 'one' });
  assert.deepEqual(heard, ['one: x', 'the "other": x', 'one: ']);
  for (const waits of [
    [200, 400, 800, 1600, 3200, 5000, 5000],
    [200, 400],
  ]) {
    isAway = true;
    const before = losses;
    clients.at(-1)?.emit('error', new Error('lost'));
    // One loss is reported once, however it shows.
    clients.at(-1)?.emit('end');
    assert.equal(losses, before + 1);
    for (const [at, wait] of waits.entries()) {
      const attempts = clients.length;
      isAway = at < waits.length - 1;
      t.mock.timers.tick(wait - 1);
      await settle();
      assert.equal(clients.length, attempts, `not within ${wait} ms`);
      t.mock.timers.tick(1);
      await settle();
      assert.equal(clients.length, attempts + 1);
    }
  }
  assert.equal(connections, 3);
  const [attempts, lost] = [clients.length, losses];
  await listening.stop();
  clients.at(-1)?.emit('end');
  t.mock.timers.tick(60_000);
  await settle();
  assert.deepEqual([clients.length, losses], [attempts, lost]);
});

test('[DATABASE-3] a connection that is still being opened when listening ends is not a loss', async (t) => {
  const opening = Promise.withResolvers<void>();
  t.mock.method(LimitedClient.prototype, 'connect', () => opening.promise);
  t.mock.method(LimitedClient.prototype, 'end', async () => opening.reject(new Error('it was closed')));
  const listening = listenTo({
    url: 'postgres://u:p@db.test/x',
    channels: ['one'],
    onNotification: () => {},
    onConnected: () => assert.fail('it is connected'),
    onLost: () => assert.fail('it is lost'),
  });
  await listening.stop();
  await new Promise((resolve) => setImmediate(resolve));
});
