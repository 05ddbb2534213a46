import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { endSessionEverywhere } from './end-session.ts';
import type { SessionToken } from './session-shapes.ts';
import { isSignedOut } from './sign-out-marks.ts';

/** The statuses with which the API answers each end of a session, in order; then 204. */
const answers = new Map<string, number[]>();
const received: string[] = [];
const api = createServer((request, response) => {
  const sid = String(request.headers['x-web-session']);
  received.push(`${sid} ${request.method} ${request.url} ${request.headers.authorization}`);
  const [status = 204, ...rest] = answers.get(sid) ?? [];
  answers.set(sid, rest);
  response.writeHead(status).end();
  api.emit('received', sid);
}).listen(0, '127.0.0.1');
await once(api, 'listening');
after(() => {
  api.close();
  api.closeAllConnections();
});
Object.assign(process.env, {
  API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
  NEXTAUTH_URL: 'http://localhost:3000',
  NEXTAUTH_SECRET: 'a secret of these tests alone, and long enough',
});

const session = (sid: string): SessionToken => ({
  sub: '1',
  name: 'Ada',
  accessToken: 'access',
  refreshToken: sid,
  userType: 'ip',
  sid,
  accessTokenExpires: Date.now() + 3_600_000,
  refreshAt: Date.now() + 3_600_000,
  setup_status: { is_fully_setup: true, missing_fields: [] },
});
const countOf = (sid: string) => received.filter((call) => call.startsWith(`${sid} `)).length;
const untilReceived = async (sid: string, times: number) => {
  while (countOf(sid) < times) await once(api, 'received', { signal: AbortSignal.timeout(20_000) });
};

test('[WEB-11] a session that ends here is reported to the API with its id and token, and is rejected here at once', async () => {
  const ending = endSessionEverywhere(session('plain'), {});
  assert.ok(isSignedOut('plain', Date.now()));
  await ending;
  assert.deepEqual(
    received.filter((call) => call.startsWith('plain ')),
    ['plain DELETE /api/user/me/web-session Bearer access'],
  );
});

test('[WEB-11] the end is reported again to an API that is down or over its limit', async () => {
  answers.set('away', [503, 204]).set('busy', [429, 204]).set('over', [401]);
  const tries = ['away', 'busy', 'over'].map(async (sid) => {
    await endSessionEverywhere(session(sid), {});
    assert.equal(countOf(sid), 1, 'a sign-out waits for one try only');
  });
  await Promise.all(tries);
  await Promise.all([untilReceived('away', 2), untilReceived('busy', 2)]);
  assert.equal(countOf('over'), 1, 'after a 401 there is no session to end');
});

test('[WEB-11] the end of a session is reported again after each temporary status, and after no other', async (t) => {
  const temporary = [408, 425, 429, 500, 502, 503, 504];
  const final = [204, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422];
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const status of [...temporary, ...final]) {
    const sid = `status ${status}`;
    answers.set(sid, [status, 204]);
    await endSessionEverywhere(session(sid), {});
    assert.equal(countOf(sid), 1, sid);
  }
  t.mock.timers.tick(1000);
  t.mock.timers.reset();
  await Promise.all(temporary.map((status) => untilReceived(`status ${status}`, 2)));
  for (const status of final) assert.equal(countOf(`status ${status}`), 1, String(status));
});

test('[WEB-11] the waits before another report double up to half a minute, also after an outage', async (t) => {
  const waits: number[] = [];
  const usual = setTimeout;
  const WAITS = [1000, 2000, 4000, 8000, 16_000, 30_000];
  t.mock.method(globalThis, 'setTimeout', (work: () => void, wait: number, ...given: []) => {
    // Calls of the API have limits of their own.
    if (!WAITS.includes(wait)) return usual(work, wait, ...given);
    waits.push(wait);
    setImmediate(work, ...given);
    return { unref() {} };
  });
  answers.set('long', [500, 500, 500, 500, 500, 500, 500, 204]);
  await endSessionEverywhere(session('long'), {});
  await untilReceived('long', 8);
  assert.deepEqual(waits, [...WAITS, 30_000]);
  answers.set('due', [503, 503, 401]);
  await endSessionEverywhere({ ...session('due'), refreshAt: 0, accessTokenExpires: 0 }, {});
  await untilReceived('due', 3);
  assert.deepEqual(
    received.filter((call) => call.startsWith('due ')).map((call) => call.split(' ')[1]),
    ['POST', 'POST', 'POST'],
  );
});
