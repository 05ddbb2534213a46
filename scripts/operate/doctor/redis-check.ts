import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '@case-platform/lib/config';
import { openRedis } from '@case-platform/lib/redis/open-redis';
import { type Finding, ok, reasonOf, warn } from './finding.ts';

const WITHIN_MS = 3000;
const LOOK_EVERY_MS = 50;

/** Checks that Redis, if there is one, answers (SCALE-1). Without it, the platform still works. */
export async function checkRedis({ redisUrl: url }: Config): Promise<Finding> {
  if (url === undefined) return ok('redis', 'No Redis is used.');
  const redis = await openRedis({ url, log: { info: () => {}, warn: () => {} } });
  const giveUpAt = performance.now() + WITHIN_MS;
  try {
    for (;;) {
      const error = await redis.run([['ping']]).then(
        () => null,
        (reason) => reason,
      );
      if (error === null) return ok('redis', 'It answers.');
      if (performance.now() > giveUpAt)
        return warn('redis', `It is not used: ${reasonOf(error)}.`, 'See "Redis or Valkey" in docs/operations.md.');
      await sleep(LOOK_EVERY_MS);
    }
  } finally {
    redis.stop();
  }
}
