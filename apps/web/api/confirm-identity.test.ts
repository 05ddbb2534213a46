import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from './api-error.ts';
import { type IdentityProof, offerIdentityDialog, withIdentity } from './confirm-identity.ts';

const proofRequired = new ApiError(403, 'Confirm that it is you.', { code: 'confirm_identity' });
const wrong = new ApiError(422, 'Wrong.', { code: 'wrong_password', fields: { pass_hash: 'Wrong.' } });
const PASSWORD: IdentityProof = { pass_hash: 'right' };

/** An API that requires only the right password. */
const api = () => {
  const proofs: (IdentityProof | null)[] = [];
  const call = async (proof: IdentityProof | null) => {
    proofs.push(proof);
    if (proof === null) throw proofRequired;
    if (!('pass_hash' in proof) || proof.pass_hash !== 'right') throw wrong;
    return 'done';
  };
  return { proofs, call };
};

test('[IDENTITY-1] a call that requires a proof of identity is repeated with the one entered, and again after a wrong one', async () => {
  const { proofs, call } = api();
  const problems: (string | null)[] = [];
  const withdraw = offerIdentityDialog(async (problem) => {
    problems.push(problem);
    return problems.length === 1 ? { pass_hash: 'guess' } : PASSWORD;
  });
  assert.equal(await withIdentity(call), 'done');
  assert.deepEqual(proofs, [null, { pass_hash: 'guess' }, PASSWORD]);
  assert.deepEqual(problems, [null, 'That’s not your current password.']);
  withdraw();
});

test('[IDENTITY-1] without a dialog or after Cancel the call is rejected, and other failures open no dialog', async () => {
  const withdraw = offerIdentityDialog(async () => null);
  await assert.rejects(withIdentity(api().call), proofRequired);
  withdraw();
  await assert.rejects(withIdentity(api().call), proofRequired);
  const other = new ApiError(422, 'No.', { fields: { routing_number: 'No.' } });
  const withdrawSecond = offerIdentityDialog(async () => PASSWORD);
  const callRejectedAfterProof = async (proof: IdentityProof | null) => {
    throw proof === null ? proofRequired : other;
  };
  await assert.rejects(withIdentity(callRejectedAfterProof), other);
  await assert.rejects(
    withIdentity(async () => Promise.reject(other)),
    other,
  );
  withdrawSecond();
});

test('[IDENTITY-1] only confirm_identity opens the dialog, and only rejections of the proof open it again', async () => {
  for (const status of [0, 301, 400, 401, 403, 404, 408, 409, 410, 413, 422, 425, 429, 500, 502, 503, 504, 507]) {
    for (const code of [undefined, 'other', 'wrong_password', 'wrong_code', 'challenge_ended', 'confirm_identity']) {
      const refusal = new ApiError(status, 'No.', { code });
      let questions = 0;
      const withdraw = offerIdentityDialog(async () => {
        questions += 1;
        return questions === 1 ? PASSWORD : null;
      });
      await assert.rejects(withIdentity(() => Promise.reject(refusal)));
      assert.equal(questions, code === 'confirm_identity' ? (status === 429 ? 2 : 1) : 0, `${status} ${code} at first`);
      questions = 0;
      await assert.rejects(withIdentity((proof) => Promise.reject(proof === null ? proofRequired : refusal)));
      const isAboutProof = status === 429 || ['wrong_password', 'wrong_code', 'challenge_ended'].includes(code ?? '');
      assert.equal(questions, isAboutProof ? 2 : 1, `${status} ${code} after a proof`);
      withdraw();
    }
  }
});
