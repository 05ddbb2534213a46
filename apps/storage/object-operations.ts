import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedRequest } from './guards.ts';
import { type ObjectStore, openObject, requireBucket, writeObject } from './object-store.ts';
import { verifiedBody } from './request-body.ts';
import { parseRequestTarget, type RequestTarget } from './request-target.ts';
import { S3Error } from './s3-error.ts';
import type { ObjectHead, OpenObject } from './stored-file.ts';
import { sendXml } from './xml.ts';

/** A signed request to an operation. */
export interface Call extends SignedRequest {
  store: ObjectStore;
  request: FastifyRequest;
  reply: FastifyReply;
}

export const DEFAULT_TYPE = 'binary/octet-stream';

/** PutObject. Nothing is visible until the whole body has arrived as it was signed. */
export async function putObject({ store, request, reply, target, payload }: Call): Promise<unknown> {
  await requireBucket(store, target.bucket);
  const contentType = request.headers['content-type'] ?? DEFAULT_TYPE;
  const head = await writeObject(store, target, verifiedBody(request.raw, payload), contentType);
  return reply.header('etag', head.etag).send();
}

/** CopyObject within this store, with `x-amz-copy-source-if-match` only of the version that has this ETag. */
export async function copyObject({ store, request, reply, target }: Call): Promise<unknown> {
  await requireBucket(store, target.bucket);
  const from = parseCopySource(String(request.headers['x-amz-copy-source']));
  const source = await openObject(store, from);
  try {
    requireMatch(source.head, request.headers['x-amz-copy-source-if-match']);
    const head = await writeObject(store, target, allOf(source), source.head.contentType);
    return sendXml(reply, 'CopyObjectResult', { LastModified: head.lastModified, ETag: head.etag });
  } finally {
    await source.close();
  }
}

function parseCopySource(header: string): RequestTarget {
  const source = parseRequestTarget(header.startsWith('/') ? header : `/${header}`);
  if (source.bucket === '' || source.key === '' || source.query.size > 0) {
    throw new S3Error('InvalidArgument', 'Copy Source must mention the source bucket and key: sourcebucket/sourcekey.');
  }
  return source;
}

/** Reads the whole object. The stream is opened only when it is read, because an unread stream would keep the file open. */
async function* allOf({ head, read }: OpenObject): AsyncGenerator<Buffer> {
  if (head.size > 0) yield* read(0, head.size - 1);
}

/** GetObject and HeadObject of the whole object or one range, with the response headers that the signed address sets. */
export async function getObject({ store, request, reply, target }: Call): Promise<unknown> {
  const object = await openObject(store, target);
  const { head } = object;
  try {
    requireMatch(head, request.headers['if-match']);
    const range = parseRange(request.headers, head.size, reply);
    const { start, end } = range ?? { start: 0, end: head.size - 1 };
    if (range !== null) reply.code(206).header('content-range', `bytes ${start}-${end}/${head.size}`);
    reply.headers({
      'accept-ranges': 'bytes',
      'content-length': end - start + 1,
      'content-type': head.contentType,
      etag: head.etag,
      'last-modified': new Date(head.lastModified).toUTCString(),
      ...readResponseHeaders(target.query),
      // A browser must not run an uploaded file, whatever it contains.
      'content-security-policy': "sandbox; default-src 'none'",
    });
    if (request.method !== 'HEAD' && head.size > 0) return reply.send(object.read(start, end));
  } catch (error) {
    await object.close();
    throw error;
  }
  await object.close();
  return reply.send();
}

/** @throws {S3Error} PreconditionFailed for another version than the requested one */
function requireMatch(head: ObjectHead, etag: string | string[] | undefined): void {
  if (etag === undefined || String(etag).replaceAll('"', '') === head.etag.replaceAll('"', '')) return;
  throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold.');
}

/**
 * Parses the requested range, with both ends inclusive. Returns null if the whole object is to be sent: without the header, for
 * another unit, several ranges, or invalid syntax (RFC 9110, 14.1.2), and with a condition (`If-Range`), which is never met.
 * @throws {S3Error} InvalidRange when the range is outside an object of `size` bytes
 */
function parseRange({ range, 'if-range': condition }: FastifyRequest['headers'], size: number, reply: FastifyReply) {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range?.trim() ?? '') ?? [];
  if (condition !== undefined || (first === '' && last === '')) return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start < size && end >= start) return { start, end };
  reply.header('content-range', `bytes */${size}`);
  throw new S3Error('InvalidRange', 'The requested range is not satisfiable.', { ActualObjectSize: String(size) });
}

/** Reads the response headers that a download address sets in place of the stored ones. */
function readResponseHeaders(query: ReadonlyMap<string, string>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ['content-type', 'content-disposition']) {
    const value = query.get(`response-${name}`);
    if (value === undefined) continue;
    if (/\p{Cc}/u.test(value)) throw new S3Error('InvalidArgument', 'A header value contains a control character.');
    headers[name] = Buffer.from(value).toString('latin1');
  }
  return headers;
}
