import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { UnavailableError } from '@case-platform/lib/errors';
import { runInTurn } from './passwords.ts';

test('[ERROR-4] a sign-in whose turn does not come while the database hangs is rejected, and its work is never started', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const hanging = Promise.withResolvers<string>();
  const inside = Array.from({ length: availableParallelism() + 1 }, () => runInTurn(() => hanging.promise));
  await setImmediate();
  const begun: string[] = [];
  const begin = (name: string) =>
    runInTurn(async () => {
      begun.push(name);
      return name;
    });
  const late = begin('late').catch((error) => error);
  t.mock.timers.tick(19_999);
  const next = begin('next');
  t.mock.timers.tick(1);
  assert.ok((await late) instanceof UnavailableError);
  hanging.resolve('answered');
  assert.deepEqual(
    await Promise.all(inside),
    inside.map(() => 'answered'),
  );
  assert.equal(await next, 'next');
  assert.deepEqual(begun, ['next']);
});
