/** The kinds of answers about a code: the proof, or the reason why none is shown. */
type ProofAnswer = 'proof' | 'unknown_code' | 'too_many' | 'unavailable';

/**
 * Says what the API's answer about a code means. Only a rejected code means that the paper may not be ours; every other failure
 * says nothing about it (PROOF-3).
 * @param status undefined without an answer.
 */
export function proofAnswer(status: number | undefined): ProofAnswer {
  if (status === 200) return 'proof';
  if (status === 404 || status === 422) return 'unknown_code';
  return status === 429 ? 'too_many' : 'unavailable';
}
