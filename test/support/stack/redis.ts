import { after } from 'node:test';
import { startRedisServer } from '../../../scripts/test/redis.mjs';

/** Starts a Redis, which is stopped after the tests of the file. */
export async function startRedis() {
  const server = await startRedisServer();
  after(() => server.stop());
  return server;
}
