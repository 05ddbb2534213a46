import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ConflictError,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
  TooLargeError,
  TooManyRequestsError,
  UnauthenticatedError,
  UnavailableError,
} from '@case-platform/lib/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { staffFrame } from '../../../test/support/staff-frame.ts';
import type { AdminContext } from '../context.ts';
import type { Visitors } from '../guards/visitors.ts';
import { readPreferences } from './preferences.ts';
import { createErrorSender } from './send-error.ts';
import { unreadBadge } from './unread-badge.ts';

/** Small parts of every page without a server: failures, preferences of a device, and the badge. */

staffFrame({ permissions: [], now: new Date(0) });

const visitors = { find: async () => null } as unknown as Visitors;
const send = createErrorSender({} as AdminContext, visitors);

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  guard?: string;
}

/** Sends an error, and returns the answer. */
async function answerTo(
  error: Parameters<typeof send>[0],
  { method = 'GET', headers = { accept: 'text/html' }, guard }: Sent = {},
) {
  const request = {
    method,
    headers: { host: 'staff.test', ...headers },
    url: '/cases?q=a',
    id: 'request-number',
    visitId: 'visit-number',
    routeOptions: { config: { guard: { name: guard ?? 'pageGuard()' } } },
  };
  const answer: { status: number; headers: Record<string, string>; body: unknown } = { status: 0, headers: {}, body: null };
  const reply = {
    code(status: number) {
      answer.status = status;
      return reply;
    },
    header(name: string, value: string) {
      answer.headers[name] = value;
      return reply;
    },
    type: () => reply,
    send(body: unknown) {
      answer.body = body;
      return reply;
    },
  };
  await send(error, request as unknown as FastifyRequest, reply as unknown as FastifyReply);
  const text = String(answer.body);
  const ways = [...text.matchAll(/<a class="btn[^"]*" href="([^"]+)">([^<]+)</g)].map(([, href = '', words]) => {
    return `${words} ${href.replaceAll('&#61;', '=')}`;
  });
  return { ...answer, title: /<h1 class="page-title">([^<]+)/.exec(text)?.[1], ways };
}

test('[ERROR-3] each failure of a page has its own title and a way on, and says when to try again', async () => {
  const home = 'Go to the dashboard /';
  const rows: [Parameters<typeof send>[0], status: number, title: string, ways: string[], retryAfter?: string][] = [
    [new UnauthenticatedError(), 401, 'You’re signed out', ['Sign in again /login?next=%2Fcases%3Fq%3Da']],
    [new ForbiddenError(), 403, 'You don’t have access', [home]],
    [new NotFoundError(), 404, 'We can’t find this page', [home]],
    [new ConflictError('Taken.'), 409, 'Someone else changed this', [home]],
    [new TooLargeError('Too large.'), 413, 'That’s too large', [home]],
    [new InvalidInputError([{ field: 'q', message: 'Wrong.' }]), 422, 'Something needs correcting', [home]],
    [new TooManyRequestsError(40), 429, 'Please wait a moment', ['Try again /cases?q=a', home], '40'],
    [new UnavailableError(7), 503, 'We’ll be right back', ['Try again /cases?q=a', home], '7'],
    [undefined, 500, 'Something went wrong on our side', ['Try again /cases?q=a', home]],
  ];
  for (const [error, status, title, ways, retryAfter] of rows) {
    const answer = await answerTo(error);
    const { 'retry-after': seconds } = answer.headers;
    assert.deepEqual([answer.status, answer.title, answer.ways, seconds], [status, title, ways, retryAfter], title);
    for (const number of ['request-number', 'visit-number']) assert.ok(String(answer.body).includes(number), title);
    const json = await answerTo(error, { headers: { accept: 'text/html', 'x-background': '1' } });
    assert.deepEqual([json.status, json.title, json.headers['retry-after']], [status, undefined, retryAfter], title);
  }
});

test('[ERROR-3] a failed form leads back to its page, which is never on another host', async () => {
  const form = (referer?: string) =>
    answerTo(undefined, { method: 'POST', headers: { accept: 'text/html', ...(referer === undefined ? {} : { referer }) } });
  const home = 'Go to the dashboard /';
  assert.deepEqual((await form('https://staff.test/cases/5?done=x')).ways, ['Go back /cases/5?done=x', home]);
  for (const other of ['https://elsewhere.test/cases/5', 'no address', undefined]) {
    assert.deepEqual((await form(other)).ways, ['Go back /'], other ?? 'none');
  }
});

test('[ERROR-1] scripts get a failure as JSON, and people as a page', async () => {
  const isPage = async (sent: Sent) => (await answerTo(new NotFoundError(), sent)).title !== undefined;
  assert.equal(await isPage({ headers: {} }), true);
  assert.equal(await isPage({ headers: { accept: 'application/json' } }), false);
  assert.equal(await isPage({ headers: { accept: '*/*' }, guard: 'apiGuard()' }), false);
  assert.equal(await isPage({ headers: { accept: 'text/html,*/*' }, guard: 'apiGuard()' }), true);
  for (const name of ['hx-request', 'x-background']) {
    assert.equal(await isPage({ headers: { accept: 'text/html', [name]: '1' } }), false, name);
  }
});

test('[SESSION-1] a preference that only this host can set comes first, and an impossible one is ignored', () => {
  const read = (cookies: Record<string, string> | undefined) => readPreferences({ cookies } as unknown as FastifyRequest);
  const none = { theme: undefined, zone: 'UTC', userType: 'admin' };
  assert.deepEqual(read(undefined), none);
  assert.deepEqual(read({ 'case-theme': 'pink', 'case-zone': 'Mars/Base', 'case-staff-role': 'boss' }), none);
  const plain = { 'case-theme': 'light', 'case-zone': 'America/Phoenix', 'case-staff-role': 'ip' };
  assert.deepEqual(read(plain), { theme: 'light', zone: 'America/Phoenix', userType: 'ip' });
  const safe = { '__Host-case-theme': 'dark', '__Host-case-zone': 'Asia/Tokyo', '__Host-case-staff-role': 'cm' };
  assert.deepEqual(read({ ...safe, ...plain }), { theme: 'dark', zone: 'Asia/Tokyo', userType: 'cm' });
});

test('[UNREAD-7] the badge shows up to 99 messages, is hidden without one, and always says how many there are', () => {
  const badge = (count: number) => {
    const text = String(unreadBadge(count));
    const [, shown, said] = /aria-hidden="true">([^<]+)<\/span><span class="sr-only">([^<]+)</.exec(text) ?? [];
    return [/\shidden\s/.test(text), /data-count="(\d+)"/.exec(text)?.[1], shown, said];
  };
  assert.deepEqual(badge(0), [true, '0', '0', '0 unread']);
  assert.deepEqual(badge(10), [false, '10', '10', '10 unread']);
  assert.deepEqual(badge(99), [false, '99', '99', '99 unread']);
  assert.deepEqual(badge(100), [false, '100', '99+', '100 unread']);
});
