import { type Call, sendXml } from './call.ts';
import { CHECKSUM_NAMES } from './checksums.ts';
import { checkBucket, deleteObject as removeObject } from './object-store.ts';
import { writeCondition } from './preconditions.ts';
import { provenBody, readText } from './request-body.ts';
import { S3Error } from './s3-error.ts';
import { malformedXml, xmlElements, xmlText } from './xml.ts';

const KEYS_AT_MOST = 1000;
const DOCUMENT_MAX_BYTES = 2 * 1024 * 1024;

/** DeleteObject: 204 whether or not there was one. */
export async function deleteObject({ store, request, reply, target }: Call): Promise<unknown> {
  await checkBucket(store, target.bucket);
  await removeObject(store, target, writeCondition(request.headers));
  return reply.code(204).send();
}

/** DeleteObjects: up to 1000 keys, each of which is removed or not on its own. */
export async function deleteObjects({ store, request, reply, target, signature }: Call): Promise<unknown> {
  await checkBucket(store, target.bucket);
  const proofs = ['content-md5', ...CHECKSUM_NAMES.map((name) => `x-amz-checksum-${name}`), 'x-amz-trailer'];
  if (!proofs.some((name) => request.headers[name] !== undefined)) {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: Content-MD5 or x-amz-checksum-*.');
  }
  const document = await readText(provenBody(request.raw, signature), DOCUMENT_MAX_BYTES);
  const keys = xmlElements(document, 'Object').map((object) => xmlText(object, 'Key') ?? '');
  if (keys.length === 0 || keys.length > KEYS_AT_MOST || keys.includes('')) {
    throw malformedXml();
  }
  for (const key of keys) await removeObject(store, { bucket: target.bucket, key });
  const quiet = xmlText(document, 'Quiet') === 'true';
  return sendXml(reply, 'DeleteResult', { Deleted: quiet ? [] : keys.map((Key) => ({ Key })) });
}
