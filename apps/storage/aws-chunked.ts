import { createHash } from 'node:crypto';
import { S3Error } from './s3-error.ts';
import { equalInConstantTime, hmac, sha256, type VerifiedSignature } from './sigv4.ts';

const EMPTY_SHA256 = sha256('');
const LINE_MAX_BYTES = 16 * 1024;
const BREAK = Buffer.from('\r\n');

interface ChunkedBody {
  body: AsyncIterable<Buffer>;
  /** How each chunk is signed, or null for STREAMING-UNSIGNED-PAYLOAD-TRAILER. */
  signing: VerifiedSignature | null;
  /** Filled while the end of the body is read: names in lower case. */
  trailers: Map<string, string>;
  /** Whether the request announced a trailer. */
  hasTrailer: boolean;
}

/**
 * Unwraps the `aws-chunked` encoding and checks the signature of each chunk and of the trailer against the one before
 * (AWS, "Transferring payload in multiple chunks"). Yields data before its chunk is proven: the caller may only commit
 * what it wrote once the iteration has ended without an error.
 * @throws {S3Error} SignatureDoesNotMatch, IncompleteBody, InvalidRequest
 */
export async function* decodeAwsChunked({ body, signing, trailers, hasTrailer }: ChunkedBody): AsyncGenerator<Buffer> {
  const reader = new PieceReader(body);
  let previous = signing?.signature ?? '';
  for (;;) {
    const { size, signature } = parseChunkHeader(await reader.line());
    const hash = createHash('sha256');
    for (let left = size; left > 0; ) {
      const piece = await reader.atMost(left);
      left -= piece.length;
      if (signing !== null) hash.update(piece);
      yield piece;
    }
    if (signing !== null) {
      const digest = size === 0 ? EMPTY_SHA256 : hash.digest('hex');
      const { time, scope } = signing;
      const toSign = `AWS4-HMAC-SHA256-PAYLOAD\n${time}\n${scope}\n${previous}\n${EMPTY_SHA256}\n${digest}`;
      previous = checkSignature(signing, toSign, signature);
    }
    if (size === 0) break;
    await reader.lineBreak();
  }
  await readTrailers(reader, trailers);
  if (hasTrailer && signing !== null) checkTrailerSignature(signing, trailers, previous);
}

function parseChunkHeader(line: string): { size: number; signature: string } {
  const match = /^([0-9a-f]{1,10})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line);
  if (match === null) throw new S3Error('InvalidRequest', 'A chunk of the body has no valid header.');
  return { size: Number.parseInt(match[1] ?? '', 16), signature: match[2] ?? '' };
}

async function readTrailers(reader: PieceReader, trailers: Map<string, string>): Promise<void> {
  for (;;) {
    // Some clients leave the last line break out.
    const line = await reader.line({ endAllowed: true });
    if (line === '') return;
    const at = line.indexOf(':');
    if (at < 1 || trailers.size >= 16) throw new S3Error('InvalidRequest', 'The trailer of the body is malformed.');
    trailers.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
}

function checkTrailerSignature(signing: VerifiedSignature, trailers: Map<string, string>, previous: string): void {
  const signature = trailers.get('x-amz-trailer-signature') ?? '';
  const lines = [...trailers].filter(([name]) => name !== 'x-amz-trailer-signature').sort();
  const canonical = lines.map(([name, value]) => `${name}:${value}\n`).join('');
  const { time, scope } = signing;
  checkSignature(signing, `AWS4-HMAC-SHA256-TRAILER\n${time}\n${scope}\n${previous}\n${sha256(canonical)}`, signature);
}

/** Returns the signature, which the next one builds upon. */
function checkSignature({ signingKey }: VerifiedSignature, toSign: string, signature: string): string {
  if (!equalInConstantTime(hmac(signingKey, toSign), signature)) {
    throw new S3Error('SignatureDoesNotMatch', 'The signature of a chunk does not match.');
  }
  return signature;
}

/** Reads lines and runs of bytes from a body without joining more than one line. */
class PieceReader {
  readonly #source: AsyncIterator<Buffer>;
  #piece: Buffer = Buffer.alloc(0);

  constructor(body: AsyncIterable<Buffer>) {
    this.#source = body[Symbol.asyncIterator]();
  }

  /** At least one byte, at most `bytes`. */
  async atMost(bytes: number): Promise<Buffer> {
    await this.#fill();
    const taken = this.#piece.subarray(0, bytes);
    this.#piece = this.#piece.subarray(taken.length);
    return taken;
  }

  async lineBreak(): Promise<void> {
    if ((await this.line()) !== '') throw new S3Error('InvalidRequest', 'A chunk of the body is longer than it says.');
  }

  /** Up to the next line break, without it. With `endAllowed` nothing more at all is an empty line. */
  async line({ endAllowed = false } = {}): Promise<string> {
    const end = this.#piece.indexOf(BREAK);
    if (end !== -1 && end < LINE_MAX_BYTES) {
      const whole = this.#piece.toString('latin1', 0, end);
      this.#piece = this.#piece.subarray(end + 2);
      return whole;
    }
    let line: Buffer = Buffer.alloc(0);
    for (;;) {
      const at = line.indexOf(BREAK);
      if (at !== -1) {
        this.#piece = Buffer.concat([line.subarray(at + 2), this.#piece]);
        return line.toString('latin1', 0, at);
      }
      if (line.length > LINE_MAX_BYTES) throw new S3Error('InvalidRequest', 'A line of the body is too long.');
      if (!(await this.#more())) {
        if (line.length === 0 && endAllowed) return '';
        throw incomplete();
      }
      line = Buffer.concat([line, this.#piece.subarray(0, LINE_MAX_BYTES)]);
      this.#piece = this.#piece.subarray(LINE_MAX_BYTES);
    }
  }

  async #fill(): Promise<void> {
    if (!(await this.#more())) throw incomplete();
  }

  async #more(): Promise<boolean> {
    while (this.#piece.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) return false;
      this.#piece = next.value;
    }
    return true;
  }
}

function incomplete(): S3Error {
  return new S3Error('IncompleteBody', 'The body ended before the number of bytes that it announced.');
}
