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
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendProblem } from './problem.ts';

const CHANGED = Object.assign(new ChangedError('No.'), { current: { amount: 1 } });

/** Answers an error and returns the status, the headers, and the body. */
function answer(error: DomainError | undefined) {
  const sent = { status: 0, headers: {} as Record<string, string>, body: {} as Record<string, unknown> };
  let write = (payload: unknown) => String(payload);
  const reply = {
    header: (name: string, value: string) => Object.assign(sent.headers, { [name]: value }),
    code(status: number) {
      sent.status = status;
      return reply;
    },
    type: () => reply,
    serializer(serialize: typeof write) {
      write = serialize;
      return reply;
    },
    send(payload: unknown) {
      sent.body = JSON.parse(write(payload));
      return reply;
    },
  };
  sendProblem(error, { id: 'the request' } as FastifyRequest, reply as unknown as FastifyReply);
  return sent;
}

test('[ERROR-1, ERROR-6] each failure has its status, its headers, and the same words in each field', () => {
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
    const { body, ...sent } = answer(error);
    const name = error?.constructor.name ?? 'a fault';
    assert.deepEqual(sent, { status, headers }, name);
    assert.deepEqual([body.status, body.request_id, body.type], [status, 'the request', 'about:blank'], name);
    assert.deepEqual([body.detail, body.code], [body.message, error?.code ?? 'internal_error'], name);
    if (error !== undefined) assert.equal(body.message, error.message, name);
  }
  assert.deepEqual(answer(invalid('name', 'No.')).body.errors, [{ field: 'name', message: 'No.' }]);
  assert.deepEqual(answer(CHANGED).body.current, { amount: 1 });
});
