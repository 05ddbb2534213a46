import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ChangedError,
  ConflictError,
  type DomainError,
  ForbiddenError,
  invalid,
  MethodNotAllowedError,
  NotFoundError,
  TooLargeError,
  TooManyRequestsError,
  UnauthenticatedError,
  UnavailableError,
  UnsupportedTypeError,
} from '@case-platform/lib/errors';
import fastify from 'fastify';
import { problemSender } from './problem.ts';

const CHANGED = Object.assign(new ChangedError('No.'), { current: { amount: 1 } });

/** Answers an error as a server does, and returns the status, our headers, and the body. */
async function answer(error: DomainError | undefined) {
  const app = fastify({ genReqId: () => 'the request' });
  app.get('/', (request, reply) => problemSender('http://api.test')(error, request, reply));
  const { statusCode, headers, body } = await app.inject('/');
  const ours = Object.entries(headers).filter(([name]) => ['www-authenticate', 'retry-after'].includes(name));
  return { status: statusCode, headers: Object.fromEntries(ours), body: JSON.parse(body) };
}

test('[ERROR-1, ERROR-6] each failure has its status, its headers, and the same words in each field', async () => {
  const table: [DomainError | undefined, number, Record<string, string>][] = [
    [undefined, 500, {}],
    [new UnauthenticatedError(), 401, { 'www-authenticate': 'Bearer' }],
    [new ForbiddenError('No.'), 403, {}],
    [new NotFoundError(), 404, {}],
    [new MethodNotAllowedError(['GET']), 405, {}],
    [new ConflictError('No.', 'no'), 409, {}],
    [CHANGED, 409, {}],
    [new TooLargeError('No.'), 413, {}],
    [new UnsupportedTypeError('No.'), 415, {}],
    [invalid('name', 'No.'), 422, {}],
    [new TooManyRequestsError(6.2), 429, { 'retry-after': '7' }],
    [new TooManyRequestsError(0), 429, { 'retry-after': '1' }],
    [new UnavailableError(), 503, { 'retry-after': '5' }],
    [new UnavailableError(9), 503, { 'retry-after': '9' }],
  ];
  for (const [error, status, headers] of table) {
    const { body, ...sent } = await answer(error);
    const name = error?.constructor.name ?? 'a fault';
    assert.deepEqual(sent, { status, headers }, name);
    assert.deepEqual(
      [body.status, body.request_id, body.type],
      [status, 'the request', `http://api.test/docs#${body.code}`],
      name,
    );
    assert.deepEqual([body.detail, body.code], [body.message, error?.code ?? 'internal_error'], name);
    if (error !== undefined) assert.equal(body.message, error.message, name);
  }
  assert.deepEqual((await answer(invalid('name', 'No.'))).body.errors, [{ field: 'name', message: 'No.' }]);
  assert.deepEqual((await answer(CHANGED)).body.current, { amount: 1 });
});
