import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { UnavailableError } from '@case-platform/lib/errors';
import { hashPassword, isRightPassword, runInTurn } from './passwords.ts';

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

test('[SIGN-IN-2] a stored hash states at least the cost that OWASP recommends, and is another one each time', async () => {
  const [hash, again] = [await hashPassword('A long password 1'), await hashPassword('A long password 1')];
  const [, memory, passes, lanes] = (/^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(hash) ?? []).map(Number);
  assert.ok(memory !== undefined && memory >= 19_456, `${memory} KiB`);
  assert.ok(passes !== undefined && passes >= 2, `${passes} passes`);
  assert.equal(lanes, 1);
  assert.notEqual(hash, again);
  const [composed, decomposed] = ['Une école à Köln', 'Une école à Köln'.normalize('NFD')] as const;
  for (const [set, typed] of [[composed, decomposed] as const, [decomposed, composed] as const])
    assert.ok(await isRightPassword(typed, await hashPassword(set)), 'a keyboard that composes letters in another way');
  assert.deepEqual(
    [await isRightPassword('A long password 1', again), await isRightPassword('A long password 2', again)],
    [true, false],
  );
});
