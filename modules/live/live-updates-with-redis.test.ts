import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startPublisher } from '@case-platform/lib/outbox/publisher';
import { openRedis } from '@case-platform/lib/redis/open-redis';
import { findActiveUserById, type User } from '@case-platform/modules/accounts';
import { type MessagingContext, replyToChain, startChain } from '@case-platform/modules/messaging';
import { CAST } from '../../test/support/cast.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { quietLog } from '../../test/support/platform.ts';
import { startRedis } from '../../test/support/stack/redis.ts';
import { addAudiences } from './find-audiences.ts';
import { LiveUpdates } from './live-updates.ts';

const { db, pool, url } = await createTestDatabase();
const server = await startRedis();
const open = async () => {
  const redis = await openRedis({ url: server.url, log: quietLog });
  after(() => redis.stop());
  return redis;
};
const { rows } = await pool.query('select id::int from user_account where email_address = $1', [CAST.parent.email_address]);
const parent = (await findActiveUserById(db, rows[0].id)) ?? assert.fail('the parent');
const context = { db } as unknown as MessagingContext;

/** Follows the messages of one person as a browser does: a stream that ends is opened again from its last event. */
function read(live: LiveUpdates, user: User) {
  const texts: string[] = [];
  let since: string | undefined;
  const state = { isCaughtUp: false, isStopped: false };
  const join = () => {
    live.join(user, {
      since,
      close: () => setImmediate(() => !state.isStopped && join()),
      send(event) {
        since = event.id;
        if (event.event === 'unread') state.isCaughtUp = true;
        if (event.event === 'message' && !texts.includes(event.data.message.message)) texts.push(event.data.message.message);
      },
    });
  };
  join();
  return { texts, state };
}

test('[SCALE-1, LIVE-1] all messages arrive in order while Redis ends, hangs, and comes back', async (t) => {
  const publisher = startPublisher({ db, log: quietLog, redis: await open(), complete: addAudiences, everyMs: 5 });
  const { chain_id } = await startChain(context, parent, { message: 'Number 0', files: [] });
  const lives = await Promise.all(
    [1, 2].map(async () => new LiveUpdates({ db, storage: {} as never, url, redis: await open(), log: quietLog })),
  );
  for (const live of lives) live.start();
  const readers = lives.map((live) => read(live, parent));
  t.after(async () => {
    for (const { state } of readers) state.isStopped = true;
    await Promise.all([publisher.stop(), ...lives.map((live) => live.stop())]);
  });
  await eventually('all are ready', () => readers.every(({ state }) => state.isCaughtUp));
  const sent: string[] = [];
  const events: Record<number, () => unknown> = {
    20: server.kill,
    40: server.start,
    60: server.freeze,
    80: server.thaw,
    85: server.kill,
    95: server.start,
  };
  for (let n = 1; n <= 100; n += 1) {
    const message = `Number ${n}`;
    await replyToChain(context, parent, chain_id, { message, files: [] });
    sent.push(message);
    await events[n]?.();
  }
  for (const { texts } of readers) {
    await eventually('the last message', () => texts.at(-1) === sent.at(-1));
    assert.deepEqual(
      texts.filter((text) => text !== 'Number 0'),
      sent,
    );
  }
});
