import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { createTestDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { IS_WRITABLE } from './database-client.ts';
import { listenTo } from './listen.ts';

test('[DATABASE-3] a connection that listens is probed again and again, and replaced when a probe fails', async (t) => {
  const { url } = await createTestDatabase();
  let probes = 0;
  let answer: unknown;
  const query = pg.Client.prototype.query;
  t.mock.method(pg.Client.prototype, 'query', async function (this: pg.Client, ...args: Parameters<typeof query>) {
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
