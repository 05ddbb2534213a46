import { spawn } from 'node:child_process';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { ByteSource } from '../byte-source.ts';
import { DamagedPictureError } from './picture-pieces.ts';

export interface Rendition {
  /** Pixels on a side. */
  width: number;
  /** WebP without metadata. */
  bytes: Buffer;
}

const PROGRAM = fileURLToPath(new URL('render-picture-process.ts', import.meta.url));
const WITHIN_MS = 20_000;
/** A square of 256 pixels has some 20 KB; more than this is none. */
const OUTPUT_MAX_BYTES = 4 * 1024 * 1024;

/**
 * Makes square WebP versions of a picture, upright, its middle cut out. The decoder is native code that reads what strangers
 * send: it runs in a process of its own, without our environment, with a limit of time and of pixels, so that a hostile
 * picture takes nothing along.
 * @throws {DamagedPictureError} when it cannot be decoded, is too large, takes too long or makes the decoder crash.
 */
export async function renderPicture(source: ByteSource, widths: readonly number[]): Promise<Rendition[]> {
  const child = spawn(process.execPath, [PROGRAM, ...widths.map(String)], {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: WITHIN_MS,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  // A decoder that has given up does not read on.
  const sending = pipeline(source.open(), child.stdin).catch(() => {});
  try {
    const [output, code] = await Promise.all([collect(child.stdout), ended, sending]);
    if (code !== 0 || output === null) throw new DamagedPictureError('it cannot be decoded');
    return readRenditions(output, widths);
  } finally {
    child.kill('SIGKILL');
  }
}

async function collect(output: AsyncIterable<Buffer>): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of output) {
    size += chunk.length;
    if (size > OUTPUT_MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Each is written with its length, four bytes, in front. */
function readRenditions(output: Buffer, widths: readonly number[]): Rendition[] {
  let at = 0;
  return widths.map((width) => {
    if (at + 4 > output.length) throw new DamagedPictureError('the decoder stopped early');
    const start = at + 4;
    at = start + output.readUInt32BE(at);
    if (at > output.length) throw new DamagedPictureError('the decoder stopped early');
    return { width, bytes: output.subarray(start, at) };
  });
}
