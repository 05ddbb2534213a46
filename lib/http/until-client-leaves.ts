import type { ServerResponse } from 'node:http';
import { invalid } from '../errors.ts';

/**
 * Aborts when the connection closes before the answer was sent, so that work for a client who left can end. The reason is an
 * InvalidInputError, because nothing is wrong with the server and no one reads the answer.
 */
export function untilClientLeaves(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  const leave = () => {
    if (!response.writableFinished) leaving.abort(invalid('body', 'The connection was closed before this was sent.'));
  };
  if (response.destroyed) leave();
  else response.once('close', leave);
  return leaving.signal;
}
