import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCaughtPaths, methodsAt } from './methods-at.ts';

const routes = [
  { method: 'GET', url: '/chains/:id' },
  { method: 'DELETE', url: '/chains/:id' },
  { method: 'POST', url: '/chains/unread' },
  { method: 'DELETE', url: '/chains/:id/:message_id' },
  { method: 'GET', url: '/chains/:id/notes' },
  { method: 'GET', url: '/health/live' },
  { method: 'PUT', url: '/*' },
];

test('[ERROR-3] a literal address has only its own methods', () => {
  assert.deepEqual(methodsAt(routes, '/chains/7?x=1'), ['DELETE', 'GET', 'HEAD', 'PUT']);
  assert.deepEqual(methodsAt(routes, '/chains/unread'), ['POST', 'PUT']);
  assert.deepEqual(methodsAt(routes, '/chains/7/notes'), ['GET', 'HEAD', 'PUT']);
  assert.deepEqual(methodsAt(routes, '/chains/7/8'), ['DELETE', 'PUT']);
  assert.deepEqual(methodsAt(routes.slice(0, 6), '/elsewhere'), []);
});

test('[ERROR-3] a pattern does not catch a literal address, with any method', () => {
  const isCaught = createCaughtPaths(routes);
  for (const [route, url, expected] of [
    ['/chains/:id', '/chains/unread?limit=1', true],
    ['/chains/:id', '/chains/7', false],
    ['/chains/:id/:message_id', '/chains/7/notes', true],
    ['/chains/:id/:message_id', '/chains/7/8', false],
    ['/chains/unread', '/chains/unread', false],
    ['/*', '/health/live', false],
    [undefined, '/nowhere', false],
  ] as const)
    assert.equal(isCaught(route, url), expected, `${route} ${url}`);
});
