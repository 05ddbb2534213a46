import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePorts } from '../../scripts/test/free-ports.mjs';
import { CAST, type CastName, passwordOf } from '../support/cast.ts';
import { startRealStack } from '../support/stack/real-stack.ts';

const root = join(import.meta.dirname, '../..');
const [port = 0] = await freePorts(1);
// The address that people see is https, as behind a proxy that ends TLS. The limit of calls is for one test, which would
// otherwise need a platform of its own.
const settings = { WEB_PORT: String(port), WEB_URL: `https://localhost:${port}`, LIMIT_CALLS: '30' };
await startRealStack(settings, ['admin', 'worker']);
const webUrl = `http://localhost:${port}`;

/** A browser without pages that keeps the cookies it gets. */
class Browser {
  readonly cookies = new Map<string, string>();
  readonly setCookies: string[] = [];

  async ask(path: string, form?: Record<string, string>): Promise<Response> {
    const headers = { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    const body = form === undefined ? null : new URLSearchParams(form);
    const method = form === undefined ? 'GET' : 'POST';
    const response = await fetch(webUrl + path, { method, headers, body, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      this.setCookies.push(cookie);
      const [pair = ''] = cookie.split('; ');
      this.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  }

  async signIn(name: CastName): Promise<void> {
    const { csrfToken } = (await (await this.ask('/api/auth/csrf')).json()) as { csrfToken: string };
    const { email_address, user_type } = CAST[name];
    const given = { email_address, user_type, pass_hash: passwordOf(name), csrfToken, json: 'true' };
    await this.ask('/api/auth/callback/credentials', given);
  }
}

test('[WEB-1] over https every cookie has a name that only this host can set: signing in, code step, signing out', async () => {
  const parent = new Browser();
  await parent.signIn('parent');
  assert.equal((await parent.ask('/')).status, 200, 'signed in');
  await parent.ask('/api/auth/session');
  const { csrfToken } = (await (await parent.ask('/api/auth/csrf')).json()) as { csrfToken: string };
  await parent.ask('/api/auth/signout', { csrfToken, json: 'true' });
  const withCode = new Browser();
  await withCode.signIn('totp');
  await withCode.ask('/login');
  const setCookies = [...parent.setCookies, ...withCode.setCookies];
  const names = new Set(setCookies.map((cookie) => cookie.split('=', 1)[0]));
  for (const own of ['next-auth.session-token', 'next-auth.csrf-token', 'next-auth.callback-url', 'case-two-factor']) {
    assert.ok(names.has(`__Host-${own}`), `${own} among ${[...names].join(', ')}`);
  }
  for (const cookie of setCookies) {
    assert.match(cookie, /^__Host-/);
    assert.match(cookie, /; Secure/i);
    assert.match(cookie, /; Path=\/(;|$)/i);
    assert.doesNotMatch(cookie, /domain=/i);
  }
});

test('[EDGE-4] every answer over https keeps browsers to https, including the API’s', async () => {
  for (const path of ['/login', '/api/cases', '/api/auth/csrf', '/icon-192.png', '/nothing-here']) {
    const { headers } = await new Browser().ask(path);
    assert.match(headers.get('strict-transport-security') ?? '', /^max-age=31536000/, path);
  }
});

test('[RATE-3] a person who opens too many pages in a minute sees when to continue, and stays signed in', async () => {
  const owner = new Browser();
  await owner.signIn('owner');
  const tooFast = /You’re going faster than we can keep up\. Try again in \d+ seconds?\./;
  let [page, loads] = ['', 0];
  for (; loads < 40 && !tooFast.test(page); loads++) {
    const answer = await owner.ask('/cases');
    assert.equal(answer.status, 200);
    page = await answer.text();
  }
  assert.ok(loads > 1, 'the first page is shown');
  assert.match(page, tooFast, `not after ${loads} pages`);
  assert.match(page, /<nav[^>]* aria-label="Main"/, 'within its frame');
});

test('[WEB-1] cookies are written only in the listed files, which name them', () => {
  const folders = ['apps/web', 'apps/admin', 'apps/api', 'lib'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const code = files.filter(
    (file) => /\.(ts|tsx|js|mjs)$/.test(file) && !/\.test\.ts$|node_modules|\.next|api-types|\/vendor\//.test(file),
  );
  const writing = code.filter((file) =>
    /document\.cookie = |cookieStore|\.setCookie\(|cookies\.set\(|jar\.set\(|set-cookie'\] =|cookies\(\)\)\.set\(/.test(
      readFileSync(join(root, file), 'utf8'),
    ),
  );
  assert.deepEqual(writing.sort(), [
    'apps/admin/browser/app.ts',
    'apps/admin/guards/open-forms.ts',
    'apps/admin/guards/visitors.ts',
    'apps/admin/sign-in/begin-session.ts',
    'apps/admin/sign-in/challenge-cookie.ts',
    'apps/web/look/preferences.ts',
    'apps/web/proxy.ts',
    'apps/web/server/forward-call.ts',
    'apps/web/session/two-factor-cookie.ts',
  ]);
});
