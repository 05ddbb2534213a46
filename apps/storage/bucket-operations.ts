import type { Call } from './object-operations.ts';
import { deleteObject, findHead, listKeys, requireBucket } from './object-store.ts';
import { readText, verifiedBody } from './request-body.ts';
import { S3Error } from './s3-error.ts';
import { malformedXml, sendXml, xmlElements, xmlText } from './xml.ts';

const KEYS_A_PAGE = 1000;
const KEYS_A_CALL = 1000;
const DOCUMENT_MAX_BYTES = 2 * 1024 * 1024;

/** HeadBucket */
export async function headBucket({ store, reply, target }: Call): Promise<unknown> {
  await requireBucket(store, target.bucket);
  return reply.send();
}

/** ListObjectsV2 of a prefix. A continuation token is the last key of the previous page, and opaque to clients. */
export async function listObjects({ store, reply, target: { bucket, query } }: Call): Promise<unknown> {
  await requireBucket(store, bucket);
  const prefix = query.get('prefix') ?? '';
  const token = query.get('continuation-token');
  const after = token === undefined ? null : Buffer.from(token, 'base64url');
  if (after?.length === 0) {
    throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect.');
  }
  const all = await listKeys(store, bucket, prefix);
  const remaining = after === null ? all : all.filter((key) => Buffer.compare(Buffer.from(key), after) > 0);
  const page = remaining.slice(0, KEYS_A_PAGE);
  const isTruncated = remaining.length > page.length;
  const heads = await Promise.all(page.map((key) => findHead(store, { bucket, key })));
  return sendXml(reply, 'ListBucketResult', {
    Name: bucket,
    Prefix: prefix,
    MaxKeys: KEYS_A_PAGE,
    KeyCount: page.length,
    IsTruncated: isTruncated,
    ContinuationToken: token,
    NextContinuationToken: isTruncated ? Buffer.from(page.at(-1) ?? '').toString('base64url') : undefined,
    Contents: heads
      .filter((head) => head !== null)
      .map(({ key, lastModified, etag, size }) => ({ Key: key, LastModified: lastModified, ETag: etag, Size: size })),
  });
}

/** DeleteObjects of up to 1000 keys. A key without an object counts as deleted. */
export async function deleteObjects({ store, request, reply, target, payload }: Call): Promise<unknown> {
  await requireBucket(store, target.bucket);
  if (request.headers['x-amz-checksum-crc32'] === undefined) {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-checksum-crc32.');
  }
  const document = await readText(verifiedBody(request.raw, payload), DOCUMENT_MAX_BYTES);
  const keys = xmlElements(document, 'Object').map((object) => xmlText(object, 'Key') ?? '');
  if (keys.length === 0 || keys.length > KEYS_A_CALL || keys.includes('')) throw malformedXml();
  for (const key of keys) await deleteObject(store, { bucket: target.bucket, key });
  const quiet = xmlText(document, 'Quiet') === 'true';
  return sendXml(reply, 'DeleteResult', { Deleted: quiet ? [] : keys.map((Key) => ({ Key })) });
}
