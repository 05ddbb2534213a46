import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERY_STATUS } from '../../../test/support/sink.ts';
import { proofAnswer } from './proof-answer.ts';

test('[PROOF-3] only a code that the API rejects is called unknown, and a limit is called one', () => {
  const statuses = Map.groupBy(EVERY_STATUS, proofAnswer);
  const named = ['proof', 'unknown_code', 'too_many'] as const;
  assert.deepEqual(
    named.map((kind) => statuses.get(kind)),
    [[200], [404, 422], [429]],
  );
  assert.equal(proofAnswer(undefined), 'unavailable');
});
