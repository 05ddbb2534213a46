import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from './api-error.ts';
import { type IdentityProof, offerIdentityDialog, withIdentity } from './confirm-identity.ts';

const asks = new ApiError(403, 'Confirm that it is you.', { code: 'confirm_identity' });
const wrong = new ApiError(422, 'Wrong.', { code: 'wrong_password', fields: { pass_hash: 'Wrong.' } });
const PASSWORD: IdentityProof = { pass_hash: 'right' };

/** An API that requires only the right password. */
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

test('[IDENTITY-1] a call that asks for identity is repeated with what was entered, and again after a wrong entry', async () => {
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

test('[IDENTITY-1] a person who cancels, or cannot be asked, sees the rejection; no other failure asks', async () => {
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

test('[IDENTITY-1] of all rejections, only confirm_identity asks for proof, and only those about the proof ask again', async () => {
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
      await assert.rejects(withIdentity((proof) => Promise.reject(proof === null ? asks : refusal)));
      const isAboutProof = status === 429 || ['wrong_password', 'wrong_code', 'challenge_ended'].includes(code ?? '');
      assert.equal(questions, isAboutProof ? 2 : 1, `${status} ${code} after a proof`);
      withdraw();
    }
  }
});
