import assert from 'node:assert/strict';
import { globSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startInternalServer } from '@case-platform/lib/metrics/internal-server';
import { createMetrics } from '@case-platform/lib/metrics/metrics';
import { FORWARDED_PATHS } from '../../apps/web/server/forwarded-paths.ts';
import { committedMatrix, formatMatrix } from '../support/guard-matrix.ts';
import { useRealStack } from '../support/stack/shared-stack.ts';

const TITLE = [
  'The paths that a server does not reject without a session, by method. login: a redirect to the sign-in page.',
  'A path that becomes open shows up in the diff. The last column says why it is.',
  'Made by UPDATE_GUARD_MATRIX=1 npm test -- this test.',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const REFUSED = new Set(['400', '401', '403', '404', '405', '413', 'login']);
const PARAMETER = /:\w+|\*|\{\w+\}|\[(?:\.\.\.)?\w+\]/g;

const { webUrl, apiUrl, adminUrl, storageUrl } = await useRealStack();
const internal = await startInternalServer({
  host: '127.0.0.1',
  port: 0,
  setting: 'API_INTERNAL_PORT',
  metrics: createMetrics(),
  metricsToken: 'a token',
  ready: async () => {},
});
const internalUrl = `http://127.0.0.1:${internal.port}`;
after(internal.stop);

interface Path {
  /** The path in the table, with its parameters. */
  name: string;
  /** The path to request, if it differs from the name. */
  path?: string;
  why?: string | undefined;
}

/** The paths of the web frontend that are open to anyone. Every other path redirects to the sign-in page or is rejected. */
const WEB_REASONS: readonly [path: RegExp, why: string][] = [
  [/^\/login$/, 'the sign-in page'],
  [/^\/password-reset/, 'the link of a mail leads here'],
  [/^\/proof\//, 'the code is the proof'],
  [/^\/(apple-touch-icon|icon-)/, 'icons, which the system asks for without a cookie'],
  [/^\/favicon\.ico$/, 'the icon of the sign-in page'],
  [/^\/_next\/static\/\[/, 'scripts and styles of the sign-in page'],
  [/^\/health\//, 'health probe'],
  [/^\/api\/auth\/_log$/, 'next-auth’s code in the browser reports here; dropped unread'],
  [/^\/api\/auth\//, 'signing in and out'],
  [/^\/api\/user\/auth\//, 'resetting a password; the token of a mail is the proof'],
  [/^\/_next\/$/, 'a redirect to the path without its slash'],
  [/^\/api\/proof\//, 'the code is the proof'],
];

const ACTIONS = ['csrf', 'providers', 'session', 'signin', 'signin/credentials', 'callback/credentials', 'signout', 'error'];

/** Lists paths that Next.js itself serves, which have no file in the application. */
async function listBuiltIns(): Promise<Path[]> {
  const page = await (await fetch(`${webUrl}/login`)).text();
  const script = /\/_next\/static\/[^"]+\.js/.exec(page)?.[0] ?? '';
  assert.notEqual(script, '');
  return [
    { name: '/_next/static/[a script]', path: script },
    { name: '/_next/static/nothing.js' },
    { name: '/_next/image' },
    { name: '/_next/image?url=%2Ficon-192.png&w=64&q=75' },
    { name: '/_next/data/build/login.json' },
    { name: '/_next/webpack-hmr' },
    { name: '/__nextjs_original-stack-frame' },
    { name: '/_next/' },
    { name: '/_error' },
    { name: '/500' },
  ];
}

async function listWebPaths(): Promise<Path[]> {
  const app = fileURLToPath(new URL('../../apps/web/app', import.meta.url));
  const routes = globSync('**/{page.tsx,route.ts,favicon.ico}', { cwd: app })
    .map((file) => `/${file.replace(/\/?(page\.tsx|route\.ts)$/, '')}`.replaceAll(/\/\([^)]+\)/g, '') || '/')
    .filter((route) => !route.includes('[...'));
  const files = readdirSync(new URL('../../apps/web/public', import.meta.url)).map((name) => `/${name}`);
  const names = [
    ...routes,
    ...files,
    ...Object.keys(FORWARDED_PATHS),
    ...[...ACTIONS, '_log', 'nothing'].map((action) => `/api/auth/${action}`),
    '/health/live',
    '/health/ready',
    '/metrics',
    '/nothing',
    '/internal/notification/send',
    '/webhook',
  ];
  return [...[...new Set(names)].map((name) => ({ name })), ...(await listBuiltIns())].map((path) => ({
    ...path,
    why: WEB_REASONS.find(([pattern]) => pattern.test(path.name))?.[1],
  }));
}

async function listRoutes(app: string): Promise<Path[]> {
  const table = await readFile(new URL(`../../apps/${app}/routes.txt`, import.meta.url), 'utf8');
  const reasons = new Map<string, Set<string>>();
  for (const line of table.split('\n').filter((text) => text !== '')) {
    const [, , path = '', guard = ''] = /^(\S+)\s+(\S+)\s+(.*?)( \| .*)?$/.exec(line) ?? [];
    const why = /^publicRoute\((.*)\)$/.exec(guard)?.[1];
    reasons.set(path, (reasons.get(path) ?? new Set()).union(new Set(why === undefined ? [] : [why])));
  }
  const paths = [...reasons].map(([name, whys]) => ({ name, why: [...whys].join(', ') || undefined }));
  return [...paths, { name: '/nothing' }, { name: '/metrics' }];
}

async function ask(url: string, method: string): Promise<string> {
  const response = await fetch(url, { method, redirect: 'manual' });
  await response.body?.cancel();
  const leadsTo = response.headers.get('location');
  const isLogin = leadsTo !== null && new URL(leadsTo, url).pathname === '/login';
  assert.ok(response.status < 500 || response.status === 501, `${method} ${url}: ${response.status}`);
  return isLogin ? 'login' : String(response.status);
}

const servers: readonly [server: string, url: string, list: () => Promise<Path[]>][] = [
  ['web', webUrl, listWebPaths],
  ['api', apiUrl, () => listRoutes('api')],
  ['admin', adminUrl, () => listRoutes('admin')],
  ['storage', storageUrl, () => listRoutes('storage')],
  [
    'internal',
    internalUrl,
    async () => [
      ...['/health/live', '/health/ready'].map((name) => ({ name, why: 'health probe' })),
      { name: '/metrics' },
      { name: '/nothing' },
    ],
  ],
];

describe('without a session', () => {
  const rows: { route: string; cells: string[] }[] = [];
  const unexplained: string[] = [];

  before(async () => {
    for (const [server, url, list] of servers) {
      for (const { name, path = name.replaceAll(PARAMETER, '1'), why } of await list()) {
        const statuses = await Promise.all(METHODS.map((method) => ask(url + path, method)));
        const isOpen = !statuses.every((status) => REFUSED.has(status));
        if (isOpen && why === undefined) unexplained.push(`${server} ${name}: ${statuses}`);
        if (isOpen) rows.push({ route: `${server.padEnd(8)} ${name}`, cells: [...statuses, why ?? ''] });
      }
    }
  });

  test('[GUARD-11] without a session each server rejects every path, except for those in the committed table', async () => {
    const now = formatMatrix(TITLE, [...METHODS, 'open because'], rows);
    assert.equal(now, await committedMatrix(new URL('./open-paths.txt', import.meta.url), now));
  });

  test('[GUARD-11] every path that is open to anyone has a reason', () => {
    assert.deepEqual(unexplained, []);
  });
});
