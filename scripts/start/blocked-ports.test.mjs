import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBlockedPort } from './blocked-ports.mjs';

test('each port that is rejected is one that fetch rejects too', async () => {
  const blocked = Array.from({ length: 65_535 }, (_, at) => at + 1).filter(isBlockedPort);
  assert.equal(blocked.length, 82);
  for (const port of blocked) {
    const reason = await fetch(`http://127.0.0.1:${port}`).catch((error) => error.cause?.message);
    assert.equal(reason, 'bad port', `port ${port}`);
  }
});
