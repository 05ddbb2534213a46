import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { InvalidInputError } from '../errors.ts';
import { untilClientLeaves } from './until-client-leaves.ts';

const responseOf = (state: { destroyed: boolean; writableFinished: boolean }) =>
  Object.assign(new EventEmitter(), state) as unknown as ServerResponse & { destroyed: boolean; writableFinished: boolean };

test('work ends when its client leaves before the answer was sent, also one who has already left, and not after that', () => {
  for (const [destroyed, isSent, isAborted] of [
    [false, false, true],
    [false, true, false],
    [true, false, true],
    [true, true, false],
  ] as const) {
    const response = responseOf({ destroyed, writableFinished: isSent && destroyed });
    const signal = untilClientLeaves(response);
    assert.equal(signal.aborted, destroyed && isAborted, 'before the connection closes');
    response.writableFinished = isSent;
    response.emit('close');
    assert.equal(signal.aborted, isAborted);
    if (isAborted) assert.ok(signal.reason instanceof InvalidInputError, 'nothing is wrong with the server');
  }
});
