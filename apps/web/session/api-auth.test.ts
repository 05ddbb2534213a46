import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { postCode, postLogin, postRefresh } from './api-auth.ts';

const visitor = {} as Parameters<typeof postLogin>[1];
/** What has come, and over how many connections. */
const calls: string[] = [];
/** How many calls are to be lost with their connection, before an answer. */
let toLose = 0;

const api = createServer(async (request, response) => {
  calls.push(request.url?.split('/').at(-1) ?? '');
  await json(request).catch(() => {});
  if (toLose > 0) {
    toLose -= 1;
    return request.socket.destroy();
  }
  return response.writeHead(401, { 'content-type': 'application/json' }).end('{"code":"wrong"}');
});
await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
after(() => {
  api.close();
  api.closeAllConnections();
});
Object.assign(process.env, {
  API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
  NEXTAUTH_SECRET: 'secret-of-the-tests',
  NEXTAUTH_URL: 'http://localhost:3000',
});

const login = () => postLogin({ email_address: 'a@demo.test', user_type: 'surrogate', pass_hash: 'x' }, visitor);
const session = { sid: 'sid', refreshToken: 'token' } as Parameters<typeof postRefresh>[0];

/** @returns the outcome, and the calls that the API saw of it. */
async function lose(count: number, call: () => Promise<{ kind: string }>) {
  await login();
  calls.length = 0;
  toLose = count;
  const { kind } = await call();
  toLose = 0;
  return [kind, ...calls];
}

test('[Frontend session] a connection that ends before the answer costs no sign-in and no refresh', async () => {
  assert.deepEqual(await lose(1, login), ['refused', 'login', 'login']);
  assert.deepEqual(await lose(1, () => postRefresh(session, visitor)), ['refused', 'refresh', 'refresh']);
  assert.deepEqual(await lose(2, login), ['unavailable', 'login', 'login'], 'once more, not for ever');
});

test('[Frontend session] a code is sent once: it works once', async () => {
  const code = () => postCode({ tfa_token: 'token', code: '123456' }, visitor);
  assert.deepEqual(await lose(1, code), ['unavailable', 'verify-totp']);
});
