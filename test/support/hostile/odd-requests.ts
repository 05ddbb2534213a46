import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Random numbers below a bound that are the same in every run (mulberry32). */
export function createDice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

/** Methods that people use, that machines use, and that are never used. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'CONNECT', 'get', 'Ü'];

/**
 * Sends a request byte for byte, and returns everything that the server sends until it ends the connection. With `leaves`, the
 * client ends its own side right after sending.
 */
export async function say(
  baseUrl: string,
  head: readonly string[],
  body = '',
  { leaves = false } = {},
): Promise<{ status: number; heard: string }> {
  const { port, hostname } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).on('error', () => {});
  socket.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1'));
  if (leaves) socket.end();
  const heard = await text(socket);
  const [, status] = /(?:HTTP\/1\.1 1\d\d [\s\S]*?\r\n\r\n)?HTTP\/1\.1 (\d{3}) /.exec(heard) ?? [];
  return { status: Number(status), heard };
}
