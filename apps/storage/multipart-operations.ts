import { type Call, sendXml } from './call.ts';
import {
  createUpload as beginUpload,
  abortUpload as endUpload,
  completeUpload as joinUpload,
  type ListedPart,
  writePart,
} from './multipart-uploads.ts';
import { storedHeaders } from './object-headers.ts';
import { checkBucket } from './object-store.ts';
import { writeCondition } from './preconditions.ts';
import { checksumHeader } from './put-object.ts';
import { provenBody, readText } from './request-body.ts';
import { S3Error } from './s3-error.ts';
import { malformedXml, xmlElements, xmlText } from './xml.ts';

const DOCUMENT_MAX_BYTES = 2 * 1024 * 1024;

/** CreateMultipartUpload */
export async function createUpload({ store, request, reply, target }: Call): Promise<unknown> {
  await checkBucket(store, target.bucket);
  const UploadId = await beginUpload(store, target, storedHeaders(request.headers));
  const algorithm = request.headers['x-amz-checksum-algorithm'];
  if (typeof algorithm === 'string') reply.header('x-amz-checksum-algorithm', algorithm);
  return sendXml(reply, 'InitiateMultipartUploadResult', { Bucket: target.bucket, Key: target.key, UploadId });
}

/** UploadPart */
export async function uploadPart({ store, request, reply, target, signature }: Call): Promise<unknown> {
  if (request.headers['x-amz-copy-source'] !== undefined) {
    throw new S3Error('NotImplemented', 'UploadPartCopy is not implemented here.');
  }
  const body = provenBody(request.raw, signature);
  const number = Number(target.query.get('partNumber') ?? Number.NaN);
  const head = await writePart(store, { ...addressOf(target), number }, body.bytes, body.checksum);
  return reply.headers(checksumHeader(head)).header('etag', head.etag).send();
}

/** CompleteMultipartUpload */
export async function completeUpload({ store, request, reply, target, signature }: Call): Promise<unknown> {
  const document = await readText(provenBody(request.raw, signature), DOCUMENT_MAX_BYTES);
  const parts = xmlElements(document, 'Part').map(parsePart);
  if (parts.length === 0) throw malformedXml();
  const head = await joinUpload(store, addressOf(target), parts, writeCondition(request.headers));
  return sendXml(reply, 'CompleteMultipartUploadResult', {
    Location: `${request.protocol}://${request.host}${target.rawPath}`,
    Bucket: target.bucket,
    Key: target.key,
    ETag: head.etag,
  });
}

/** AbortMultipartUpload */
export async function abortUpload({ store, reply, target }: Call): Promise<unknown> {
  await endUpload(store, addressOf(target));
  return reply.code(204).send();
}

function addressOf({ bucket, key, query }: Call['target']) {
  return { bucket, key, uploadId: query.get('uploadId') ?? '' };
}

function parsePart(part: string): ListedPart {
  const number = xmlText(part, 'PartNumber')?.trim() ?? '';
  const etag = (xmlText(part, 'ETag') ?? '').trim().replaceAll('"', '');
  if (!/^\d{1,5}$/.test(number)) throw malformedXml();
  return { number: Number(number), etag };
}
