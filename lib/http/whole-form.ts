import type { IncomingMessage } from 'node:http';
import { invalid } from '../errors.ts';

/** RFC 2046, 5.1.1, as the form parser reads it. */
const BOUNDARY = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i;
/** RFC 2046, 5.1.1. The parser fails with an error of its own on more than 256. */
const BOUNDARY_MAX = 70;

/**
 * Yields the parts of a form as `open` reads them from the request, and then makes sure that every part was read (FILE-6). The
 * parser silently omits a part whose name or file name contains a line break, and one that does not say what it is.
 * @throws {InvalidInputError} if a part was omitted, so that no sender believes that a lost file arrived; if the boundary does
 * not have 1 to 70 characters; and if the sender has disconnected.
 */
export async function* readWholeForm<Part>(request: IncomingMessage, open: () => AsyncIterable<Part>): AsyncGenerator<Part> {
  // The parser would wait for a sender who has already left.
  if (request.destroyed) throw invalid('body', 'The form is not complete.');
  const partsInBody = countParts(request);
  let read = 0;
  for await (const part of open()) {
    read++;
    yield part;
  }
  if (read !== partsInBody()) throw invalid('body', 'A part of the form has a name that cannot be read.');
}

/** The boundary that a content type names, or null. */
export function findBoundary(contentType = ''): string | null {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  return quoted ?? plain ?? null;
}

/** Counts delimiters while another reader reads the body. Anything after the closing delimiter is not part of the form. */
function countParts(request: IncomingMessage): () => number {
  const boundary = findBoundary(request.headers['content-type']) ?? '';
  if (boundary === '' || boundary.length > BOUNDARY_MAX)
    throw invalid('body', 'The boundary of the form must have 1 to 70 characters.');
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // A delimiter is counted with the two bytes after it, which say whether it is the closing one.
  const whole = delimiter.length + 2;
  let parts = 0;
  const countIn = (bytes: Buffer): 'open' | 'closed' => {
    for (
      let at = bytes.indexOf(delimiter);
      at !== -1 && at + whole <= bytes.length;
      at = bytes.indexOf(delimiter, at + whole - 2)
    ) {
      if (bytes.toString('latin1', at + whole - 2, at + whole) === '--') return 'closed';
      parts++;
    }
    return 'open';
  };
  // The first delimiter may be at the very beginning.
  let rest = Buffer.from('\r\n');
  const count = (chunk: Buffer) => {
    // Only what may contain a divided delimiter is copied: a copy of each chunk would double the memory of an upload.
    const seam = Buffer.concat([rest, chunk.subarray(0, whole - 1)]);
    if (countIn(seam) === 'closed' || countIn(chunk) === 'closed') return void request.off('data', count);
    rest = Buffer.from((chunk.length < whole ? seam : chunk).subarray(1 - whole));
  };
  request.on('data', count);
  return () => parts;
}

/**
 * The name of a file as its sender's browser knows it: browsers write a quote and line ends in it as `%22`, `%0D`, and `%0A`, and
 * nothing else (HTML, "Multipart form data"). Empty for a part without a name.
 */
export function formFileName(filename: string | undefined): string {
  return (filename ?? '').replaceAll(/%(?:22|0D|0A)/gi, decodeURIComponent);
}
