import type { IncomingHttpHeaders } from 'node:http';
import type { Condition } from './object-store.ts';
import { S3Error } from './s3-error.ts';
import type { ObjectHead } from './stored-file.ts';

type HeaderReader = (name: string) => string | undefined;

/**
 * Judges the conditions of a reading request in the order of RFC 9110, 13.2.2: `true` to answer, `false` for 304.
 * @throws {S3Error} PreconditionFailed
 */
export function judgeRead(head: ObjectHead, headers: IncomingHttpHeaders): boolean {
  return judge(head, (name) => text(headers[name]));
}

/** The same for the source of a copy, whose conditions have a prefix. There is no 304 here: not modified fails too. */
export function judgeCopySource(head: ObjectHead, headers: IncomingHttpHeaders): void {
  if (!judge(head, (name) => text(headers[`x-amz-copy-source-${name}`]))) throw failed();
}

function judge(head: ObjectHead, header: HeaderReader): boolean {
  const modified = Math.floor(Date.parse(head.lastModified) / 1000) * 1000;
  const ifMatch = header('if-match');
  const unmodifiedSince = parseDate(header('if-unmodified-since'));
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, head.etag)) throw failed();
  } else if (unmodifiedSince !== null && modified > unmodifiedSince) {
    throw failed();
  }
  const ifNoneMatch = header('if-none-match');
  const modifiedSince = parseDate(header('if-modified-since'));
  if (ifNoneMatch !== undefined) return !matches(ifNoneMatch, head.etag);
  return modifiedSince === null || modified > modifiedSince;
}

/** The condition of a writing request, or undefined where it has none (S3, "Conditional writes"). */
export function writeCondition(headers: IncomingHttpHeaders): Condition | undefined {
  const ifMatch = text(headers['if-match']);
  const ifNoneMatch = text(headers['if-none-match']);
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return (current) => {
    if (ifMatch !== undefined) {
      if (current === null) throw new S3Error('NoSuchKey', 'The specified key does not exist.');
      if (!matches(ifMatch, current.etag)) throw failed();
    }
    if (ifNoneMatch !== undefined && current !== null && matches(ifNoneMatch, current.etag)) throw failed();
  };
}

/** Whether a list of entity tags, or `*`, holds this one. Quotes are optional in S3. */
function matches(list: string, etag: string): boolean {
  const bare = unquote(etag);
  return list.split(',').some((item) => item.trim() === '*' || unquote(item.trim()) === bare);
}

function unquote(tag: string): string {
  return tag.replace(/^W\//, '').replaceAll('"', '');
}

function text(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

/** A date that cannot be read is as if it were not there (RFC 9110, 13.1.3). */
function parseDate(value: string | undefined): number | null {
  const time = Date.parse(value ?? '');
  return Number.isNaN(time) ? null : time;
}

function failed(): S3Error {
  return new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold.');
}
