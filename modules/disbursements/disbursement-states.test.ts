import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConflictError } from '@case-platform/lib/errors';
import { DISBURSEMENT_STATUSES, type DisbursementCommand, MOVES, nextStatus } from './disbursement-states.ts';

/** REQUEST-1 as a table: a row for each state and a column for each command; `-` means rejected. */
const TABLE = `
            submit     approve   undo_approval  deny    cancel     revise  batch    unbatch   pay   return    retry     end
draft       submitted  -         -              -       cancelled  draft   -        -         -     -         -         -
submitted   -          approved  -              denied  cancelled  draft   -        -         -     -         -         -
approved    -          -         submitted      -       -          draft   batched  -         -     -         -         -
denied      -          -         -              -       -          -       -        -         -     -         -         -
batched     -          -         -              -       -          -       -        approved  paid  returned  -         -
paid        -          -         -              -       -          -       -        -         -     returned  -         -
returned    -          -         -              -       -          -       -        -         -     -         approved  ended
cancelled   -          -         -              -       -          -       -        -         -     -         -         -
ended       -          -         -              -       -          -       -        -         -     -         -         -`;

const [header = '', ...rows] = TABLE.trim().split('\n');
const commands = header.trim().split(/\s+/) as DisbursementCommand[];

test('[REQUEST-1] the table of transitions names every state and every command', () => {
  assert.deepEqual(commands.toSorted(), Object.keys(MOVES).toSorted());
  assert.deepEqual(
    rows.map((row) => row.split(/\s+/)[0]),
    [...DISBURSEMENT_STATUSES],
  );
});

for (const row of rows) {
  const [from = '', ...targets] = row.split(/\s+/);
  const status = DISBURSEMENT_STATUSES.find((candidate) => candidate === from);
  for (const [at, target] of targets.entries()) {
    const command = commands[at];
    if (status === undefined || command === undefined) continue;
    test(`[REQUEST-1] ${command} of a ${from} request: ${target === '-' ? 'rejected' : target}`, () => {
      if (target !== '-') assert.equal(nextStatus(command, status), target);
      else assert.throws(() => nextStatus(command, status), ConflictError);
    });
  }
}
