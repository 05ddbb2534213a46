import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DomainError, UnauthenticatedError } from './errors.ts';
import { ADMITTED, defineGuard, type Guard, publicRoute, Redirect } from './guards.ts';
import { createHttpServer } from './http-server.ts';
import { createLog } from './log.ts';

/** Requests a route with this guard. Returns the answer, and whether the route's handler ran. */
async function visit(guard: Guard): Promise<{ status: number; entered: boolean; location: string | undefined }> {
  let entered = false;
  const app = await createHttpServer({
    log: createLog('test', 'silent'),
    sendError: (error, _request, reply) => reply.code(error instanceof DomainError ? error.status : 500).send(),
  });
  // A slow answer must not let anyone in meanwhile.
  app.addHook('onSend', () => new Promise((resolve) => setImmediate(resolve)));
  app.get('/', { config: { guard } }, () => {
    entered = true;
    return 'inside';
  });
  const { statusCode: status, headers } = await app.inject('/');
  await app.close();
  return { status, entered, location: headers.location };
}

/** A guard whose function returns this value, whatever its type allows. */
function saying(said: unknown): Guard<true> {
  return defineGuard('saying()', () => said as true);
}

const NOTHING = [undefined, null, false, 0, '', 'yes', 1, Symbol('admitted'), () => true];

for (const said of NOTHING) {
  test(`[GUARD-1] a guard that answers ${String(said)} lets no one in`, async () => {
    const refused = { status: 403, entered: false, location: undefined };
    assert.deepEqual(await visit(saying(said)), refused);
    assert.deepEqual(await visit(saying(Promise.resolve(said))), refused);
  });
}

test('[GUARD-1] a guard that was made by hand and answers nothing lets no one in', async () => {
  for (const said of [undefined, null, true, {}, 'admitted', Promise.resolve()]) {
    const guard: Guard<null> = { name: 'by hand', admit: () => said as typeof ADMITTED, actor: () => null };
    assert.deepEqual(await visit(guard), { status: 403, entered: false, location: undefined });
  }
});

test('[GUARD-1] a guard that throws, or leads elsewhere, lets no one in', async () => {
  const throws = () => {
    throw new UnauthenticatedError();
  };
  assert.deepEqual(await visit(defineGuard('throws()', throws)), { status: 401, entered: false, location: undefined });
  const rejects = () => Promise.reject(new Error('a fault of ours'));
  assert.deepEqual(await visit(defineGuard('rejects()', rejects)), {
    status: 500,
    entered: false,
    location: undefined,
  });
  const leads = defineGuard('leads()', () => new Redirect('/login', 303));
  assert.deepEqual(await visit(leads), { status: 303, entered: false, location: '/login' });
});

test('[GUARD-1] a guard that rejects what the body says is awaited', async () => {
  const refuse = () => {
    throw new UnauthenticatedError();
  };
  const later = () => new Promise<void>((_, reject) => setImmediate(() => reject(new UnauthenticatedError())));
  for (const admitBody of [refuse, later]) {
    const guard = defineGuard('refuses the body', () => true, admitBody);
    assert.deepEqual(await visit(guard), { status: 401, entered: false, location: undefined });
  }
});

test('[GUARD-12] a person who is identified is let in, and known to the route', async () => {
  const entered = { status: 200, entered: true, location: undefined };
  for (const guard of [saying(true), saying({}), saying(Promise.resolve({})), publicRoute('a test')]) {
    assert.deepEqual(await visit(guard), entered);
  }
  const guard: Guard<null> = { name: 'by hand', admit: () => ADMITTED, actor: () => null };
  assert.deepEqual(await visit(guard), entered);
});

test('[GUARD-1] a guard that let no one in has no actor', async () => {
  const guard = saying(undefined);
  const request = {} as Parameters<typeof guard.admit>[0];
  await assert.rejects(async () => guard.admit(request));
  assert.throws(() => guard.actor(request), /did not let this request in/);
});
