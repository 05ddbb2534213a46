import { S3Error } from './s3-error.ts';

/** Both ends inclusive, in bytes. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * The one range that a `Range` header asks for, or null where the whole object is to be sent: no header, another unit,
 * several ranges or no syntax of RFC 9110, 14.1.2. S3 ignores those too.
 * @throws {S3Error} InvalidRange when the range lies outside an object of `size` bytes
 */
export function parseByteRange(header: string | undefined, size: number): ByteRange | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return null;
  const [, first = '', last = ''] = match;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  if (start >= size || (first === '' && Number(last) === 0)) {
    throw new S3Error('InvalidRange', 'The requested range is not satisfiable.', { ActualObjectSize: String(size) });
  }
  return { start, end };
}
