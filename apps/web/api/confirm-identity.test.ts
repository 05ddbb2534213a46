import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from './api-error.ts';
import { type IdentityProof, offerIdentityDialog, withIdentity } from './confirm-identity.ts';

const asks = new ApiError(403, 'Confirm that it is you.', { code: 'confirm_identity' });
const wrong = new ApiError(422, 'Wrong.', { code: 'wrong_password', fields: { pass_hash: 'Wrong.' } });
const PASSWORD: IdentityProof = { pass_hash: 'right' };

/** An API that lets in with the right password alone. */
const api = () => {
  const seen: (IdentityProof | null)[] = [];
  const call = async (proof: IdentityProof | null) => {
    seen.push(proof);
    if (proof === null) throw asks;
    if (!('pass_hash' in proof) || proof.pass_hash !== 'right') throw wrong;
    return 'done';
  };
  return { seen, call };
};

test('[decisions 11] a call that asks who it is is made again with what was given, and again after a wrong one', async () => {
  const { seen, call } = api();
  const problems: (string | null)[] = [];
  const withdraw = offerIdentityDialog(async (problem) => {
    problems.push(problem);
    return problems.length === 1 ? { pass_hash: 'guess' } : PASSWORD;
  });
  assert.equal(await withIdentity(call), 'done');
  assert.deepEqual(seen, [null, { pass_hash: 'guess' }, PASSWORD]);
  assert.deepEqual(problems, [null, 'That’s not your current password.']);
  withdraw();
});

test('[decisions 11] who leaves it, or cannot be asked, hears the refusal; nothing else is asked about', async () => {
  const withdraw = offerIdentityDialog(async () => null);
  await assert.rejects(withIdentity(api().call), asks);
  withdraw();
  await assert.rejects(withIdentity(api().call), asks);
  const other = new ApiError(422, 'No.', { fields: { routing_number: 'No.' } });
  const again = offerIdentityDialog(async () => PASSWORD);
  const refuses = async (proof: IdentityProof | null) => {
    throw proof === null ? asks : other;
  };
  await assert.rejects(withIdentity(refuses), other);
  await assert.rejects(
    withIdentity(async () => Promise.reject(other)),
    other,
  );
  again();
});
