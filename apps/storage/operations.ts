import type { Call } from './call.ts';
import { deleteObject, deleteObjects } from './delete-objects.ts';
import { getObject } from './get-object.ts';
import { listObjects } from './list-objects.ts';
import { abortUpload, completeUpload, createUpload, uploadPart } from './multipart-operations.ts';
import { checkBucket, createBucket } from './object-store.ts';
import { copyObject, putObject } from './put-object.ts';
import { S3Error } from './s3-error.ts';

type Operation = (call: Call) => Promise<unknown>;

/**
 * Query parameters that stand for a part of S3 which this store lacks. They must never fall through to the plain
 * operation: `PUT key?acl` would otherwise replace the object by an access list.
 */
const SUBRESOURCES = new Set(
  (
    'acl accelerate analytics attributes cors encryption intelligent-tiering inventory legal-hold lifecycle location ' +
    'logging metrics notification object-lock ownershipControls policy policyStatus publicAccessBlock replication ' +
    'requestPayment restore retention select tagging torrent versionId versioning versions website'
  ).split(' '),
);

/** Finds what a signed request asks for. @throws {S3Error} NotImplemented, MethodNotAllowed */
export function findOperation({ request, target }: Pick<Call, 'request' | 'target'>): Operation {
  const { bucket, key, query } = target;
  const unknown = [...query.keys()].find((name) => SUBRESOURCES.has(name));
  if (unknown !== undefined || bucket === '') throw notImplemented();
  return key === '' ? bucketOperation(request.method, query) : objectOperation(request, query);
}

function bucketOperation(method: string, query: ReadonlyMap<string, string>): Operation {
  if (method === 'HEAD') return headBucket;
  if (method === 'PUT') return makeBucket;
  if (method === 'GET' && query.get('list-type') === '2') return listObjects;
  if (method === 'POST' && query.has('delete')) return deleteObjects;
  throw notImplemented();
}

function objectOperation(request: Call['request'], query: ReadonlyMap<string, string>): Operation {
  const upload = query.has('uploadId');
  switch (request.method) {
    case 'GET':
    case 'HEAD':
      if (upload) throw notImplemented();
      return getObject;
    case 'PUT':
      if (upload || query.has('partNumber')) return uploadPart;
      return request.headers['x-amz-copy-source'] === undefined ? putObject : copyObject;
    case 'POST':
      if (query.has('uploads')) return createUpload;
      if (upload) return completeUpload;
      throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.');
    default:
      return upload ? abortUpload : deleteObject;
  }
}

async function headBucket({ store, reply, target, signature }: Call): Promise<unknown> {
  await checkBucket(store, target.bucket);
  return reply.header('x-amz-bucket-region', signature.scope.split('/')[1] ?? '').send();
}

async function makeBucket({ store, reply, target }: Call): Promise<unknown> {
  await createBucket(store, target.bucket);
  return reply.header('location', `/${target.bucket}`).send();
}

function notImplemented(): S3Error {
  return new S3Error('NotImplemented', 'A part of this request asks for something that is not implemented here.');
}
