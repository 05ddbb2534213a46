import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConflictError, InvalidInputError, TooManyRequestsError, UnavailableError } from '../errors.ts';
import { asDomainError } from './as-domain-error.ts';

const fault = (fields: object) => Object.assign(new Error('internal'), fields);

test('[ERROR-3, ERROR-4, ERROR-5] each error becomes the answer that its sender can act on, and none of its own words', () => {
  const rows: [what: string, error: unknown, status: number | undefined, retryAfter?: number][] = [
    ['a lost database', fault({ code: 'ECONNREFUSED' }), 503, 5],
    ['a transaction in favor of another one', fault({ code: '40001' }), 503, 1],
    ['a deadlock', fault({ code: '40P01' }), 503, 1],
    ['a value that the database rejects', fault({ code: '22P05' }), 422],
    ['a long body', fault({ code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }), 413],
    ['a long file', fault({ code: 'FST_REQ_FILE_TOO_LARGE', statusCode: 413 }), 413],
    ['another content type', fault({ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }), 415],
    ['a form without a boundary', fault({ code: 'FST_INVALID_MULTIPART_CONTENT_TYPE', statusCode: 406 }), 415],
    ['a broken address', fault({ code: 'FST_ERR_BAD_URL', statusCode: 400 }), 404],
    ['a long parameter', fault({ code: 'FST_ERR_MAX_PARAM_LENGTH', statusCode: 414 }), 404],
    ['the least error of a client', fault({ statusCode: 400 }), 422],
    ['the last error of a client', fault({ statusCode: 499 }), 422],
    ['no error of a client', fault({ statusCode: 399 }), undefined],
    ['an error of the server', fault({ statusCode: 500 }), undefined],
    ['an error of a framework', fault({ code: 'FST_ERR_FAILED', statusCode: 503 }), undefined],
    ['a broken constraint', fault({ code: '23514' }), undefined],
    ['a fault of ours', new TypeError('undefined is not a function'), undefined],
  ];
  for (const [what, error, status, retryAfter] of rows) {
    const answer = asDomainError(error);
    assert.equal(answer?.status, status, what);
    assert.equal(answer instanceof UnavailableError ? answer.retryAfter : undefined, retryAfter, what);
    assert.doesNotMatch(answer?.message ?? '', /internal/, what);
  }
  const own = new ConflictError('It changed.');
  assert.equal(asDomainError(own), own, 'our own errors stay as they are');
});

test('[ERROR-3] each rejected field is named with the way to it, and a missing one as well', () => {
  const error = asDomainError(
    fault({
      statusCode: 400,
      validation: [
        { instancePath: '/recipients/1/user_id', params: {}, message: 'must be integer' },
        { instancePath: '/recipients/0', params: { missingProperty: 'user_type' } },
        { instancePath: '', params: { missingProperty: 'message' } },
        { instancePath: '', params: {}, message: 'must be object' },
        { instancePath: '/limit', params: {} },
      ],
    }),
  );
  assert.ok(error instanceof InvalidInputError);
  assert.deepEqual(error.errors, [
    { field: 'recipients.1.user_id', message: 'recipients.1.user_id must be integer.' },
    { field: 'recipients.0.user_type', message: 'recipients.0.user_type is missing.' },
    { field: 'message', message: 'message is missing.' },
    { field: 'body', message: 'The input must be object.' },
    { field: 'limit', message: 'limit is not valid.' },
  ]);
});

test('[ERROR-6] a time to wait is in whole seconds, rounded up, and never none', () => {
  const seconds = [-1, 0, 0.001, 1, 1.001, 59.5, 60].map((wait) => new TooManyRequestsError(wait).retryAfter);
  assert.deepEqual(seconds, [1, 1, 1, 1, 2, 60, 60]);
});
