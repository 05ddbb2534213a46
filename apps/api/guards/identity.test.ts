import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForbiddenError, InvalidInputError, UnauthenticatedError } from '@case-platform/lib/errors';
import { fieldOf, oneCode, splitProof, withInputErrors } from './identity.ts';

test('[PASSWORD-8] a wrong proof is invalid input at its field, and only a missing session is a 401', async () => {
  const failed = (error: Error) => withInputErrors('code', Promise.reject(error)).catch((reason: unknown) => reason);
  const wrong = await failed(new UnauthenticatedError('This code is wrong.', 'wrong_code'));
  assert.ok(wrong instanceof InvalidInputError);
  assert.deepEqual(
    [wrong.status, wrong.code, wrong.errors],
    [422, 'wrong_code', [{ field: 'code', message: 'This code is wrong.' }]],
  );
  for (const error of [new UnauthenticatedError(), new ForbiddenError(), new Error('a fault')])
    assert.equal(await failed(error), error, error.message);
  assert.equal(await withInputErrors('code', Promise.resolve(7)), 7);
});

test('[IDENTITY-1] a proof is apart from the rest of a body, and an error belongs to what was sent of it', () => {
  const proof = { pass_hash: undefined, code: '123456', backup_code: undefined };
  assert.deepEqual(splitProof({ code: '123456', phone: '1', first_name: '' } as { code: string }), {
    proof,
    rest: { phone: '1', first_name: '' },
  });
  assert.equal(fieldOf({ pass_hash: 'a', code: '1', backup_code: 'b' }), 'pass_hash');
  assert.equal(fieldOf({ code: '1', backup_code: 'b' }), 'code');
  assert.equal(fieldOf({ backup_code: 'b' }), 'backup_code');
});

test('[TWO-FACTOR-8] exactly one of a code and a backup code is accepted', () => {
  assert.deepEqual(oneCode({ code: '123456' }), { code: '123456' });
  assert.deepEqual(oneCode({ backup_code: 'abcde-fghij' }), { backup_code: 'abcde-fghij' });
  for (const both of [{}, { code: '123456', backup_code: 'abcde-fghij' }]) assert.throws(() => oneCode(both), InvalidInputError);
});
