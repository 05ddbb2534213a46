import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ConflictError,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
  TooManyRequestsError,
  UnauthenticatedError,
  UnavailableError,
} from '@case-platform/lib/errors';
import type { FastifyRequest } from 'fastify';
import { refusedForm } from './refused-form.ts';

/** The reasons for which a form is rejected, as its page shows them. */

const warnings: unknown[] = [];
const requestOf = (body: Record<string, string>) =>
  ({
    body,
    url: '/cases/5/money?x=1',
    id: 'r',
    log: { warn: (details: unknown) => warnings.push(details) },
  }) as unknown as FastifyRequest;
const NO_FILES = { files: [], problem: undefined };
type Upload = Parameters<typeof refusedForm>[2]['upload'];
const refuse = (error: unknown, { body = {}, names = {}, upload = NO_FILES as Upload } = {}) =>
  refusedForm(requestOf(body), error, { upload, names });
const invalidAt = (...fields: [string, string][]) =>
  new InvalidInputError(fields.map(([field, message]) => ({ field, message })));

test('[PAGE-2] each wrong field has its words under the name that the form knows, and several are counted', () => {
  const one = refuse(invalidAt(['amount_cents', 'Too much.']), { body: { amount: '5' } });
  assert.deepEqual(
    [one.action, one.values, one.words, one.errors],
    ['/cases/5/money', { amount: '5' }, 'Too much.', { amount: 'Too much.' }],
  );
  assert.deepEqual([one.status, one.code, one.retryAfter], [422, 'invalid_input', undefined]);
  const named = refuse(invalidAt(['assigned_admin_id', 'Nobody.']), { names: { assigned_admin_id: 'admin_id' } });
  assert.deepEqual(named.errors, { admin_id: 'Nobody.' });
  const two = refuse(invalidAt(['name', 'First.'], ['name', 'Second.'], ['phone', 'phone must be a number']));
  assert.deepEqual(two.errors, { name: 'First.', phone: 'The phone number must be a number' });
  assert.equal(two.words, '2 fields need your attention. See the notes below.');
  const fields = ['first_name', 'last_name', 'phone', 'other'].map(
    (field) => refuse(invalidAt([field, `${field} is missing`])).words,
  );
  assert.deepEqual(fields, [
    'The first name is missing',
    'The last name is missing',
    'The phone number is missing',
    'other is missing',
  ]);
});

test('[RATE-3, ERROR-4] a form that can be sent again later says when, and an outage is logged', () => {
  warnings.length = 0;
  const many = refuse(new TooManyRequestsError(61, 'Too many codes. Wait a while.'));
  assert.deepEqual([many.words, many.retryAfter, many.status], ['Too many codes. Wait 2 minutes and try again.', 61, 429]);
  const reset = 'This sign-in is from a new place. Use the link in the email.';
  const unfamiliar = refuse(new TooManyRequestsError(61, reset, 'unfamiliar_address'));
  assert.deepEqual([unfamiliar.words, unfamiliar.retryAfter], [reset, 61], 'waiting would not help');
  assert.equal(warnings.length, 0);
  const away = refuse(new UnavailableError(7));
  assert.deepEqual([away.retryAfter, away.status, warnings.length], [7, 503, 1]);
  const conflict = refuse(new ConflictError('Taken.', 'changed'));
  assert.deepEqual([conflict.words, conflict.status, conflict.code, conflict.retryAfter], ['Taken.', 409, 'changed', undefined]);
});

test('[ERROR-2, IDENTITY-6] a form comes back only if the person can correct it, confirm who they are, or send it again', () => {
  for (const error of [new NotFoundError(), new ForbiddenError(), new ForbiddenError('No.', 'csrf_token'), new Error('A fault')])
    assert.throws(() => refuse(error), error);
  for (const code of ['confirm_identity', 'stale_form']) assert.equal(refuse(new ForbiddenError('Again.', code)).code, code);
  assert.equal(refuse(new UnauthenticatedError()).status, 401);
});

test('[FILE-6] a text that was sent with files says that they have to be chosen again', () => {
  const again = ' Please choose the files again.';
  const words = (body: Record<string, string>, upload: Upload) => refuse(new ConflictError('Taken.'), { body, upload }).words;
  const some = { files: [{}], problem: undefined } as unknown as Upload;
  const wrong = { files: [], problem: invalidAt(['files', 'Too many.']) } as Upload;
  for (const upload of [some, wrong]) assert.equal(words({ _csrf: 't', message: 'Hi' }, upload), `Taken.${again}`);
  assert.equal(words({ _csrf: 't' }, some), 'Taken.', 'a form that is only a file');
  assert.equal(words({ message: 'Hi' }, NO_FILES), 'Taken.');
});
