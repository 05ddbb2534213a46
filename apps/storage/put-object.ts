import { type Call, sendXml } from './call.ts';
import { storedHeaders } from './object-headers.ts';
import { checkBucket, type NewObject, openObject, writeObject } from './object-store.ts';
import { judgeCopySource, writeCondition } from './preconditions.ts';
import { provenBody } from './request-body.ts';
import { parseRequestTarget, type RequestTarget } from './request-target.ts';
import { S3Error } from './s3-error.ts';
import type { ObjectHead, OpenObject } from './stored-file.ts';

/** PutObject: nothing is visible until the body has arrived whole and every digest was right. */
export async function putObject({ store, request, reply, target, signature }: Call): Promise<unknown> {
  await checkBucket(store, target.bucket);
  const body = provenBody(request.raw, signature);
  const object: NewObject = { headers: storedHeaders(request.headers), checksum: body.checksum };
  const head = await writeObject(store, target, body.bytes, object, writeCondition(request.headers));
  return reply.headers(checksumHeader(head)).header('etag', head.etag).send();
}

/** CopyObject within this store, with the source's headers or, with the directive REPLACE, those of the request. */
export async function copyObject({ store, request, reply, target }: Call): Promise<unknown> {
  await checkBucket(store, target.bucket);
  const from = parseCopySource(String(request.headers['x-amz-copy-source']));
  await checkBucket(store, from.bucket);
  const replace = request.headers['x-amz-metadata-directive'] === 'REPLACE';
  if (!replace && from.bucket === target.bucket && from.key === target.key) {
    throw new S3Error(
      'InvalidRequest',
      'This copy request is illegal because it is trying to copy an object to itself.',
    );
  }
  const source = await openObject(store, from);
  try {
    judgeCopySource(source.head, request.headers);
    const headers = replace ? storedHeaders(request.headers) : source.head.headers;
    const object: NewObject = { headers, checksum: () => source.head.checksum };
    const head = await writeObject(store, target, allOf(source), object, writeCondition(request.headers));
    return sendXml(reply, 'CopyObjectResult', { LastModified: head.lastModified, ETag: head.etag });
  } finally {
    await source.close();
  }
}

function parseCopySource(header: string): RequestTarget {
  const source = parseRequestTarget(header.startsWith('/') ? header : `/${header}`);
  if (source.bucket === '' || source.key === '') {
    throw new S3Error(
      'InvalidArgument',
      'Copy Source must mention the source bucket and key: /sourcebucket/sourcekey.',
    );
  }
  if (source.query.size > 0) throw new S3Error('NotImplemented', 'Versions are not implemented here.');
  return source;
}

export function checksumHeader({ checksum }: ObjectHead): Record<string, string> {
  return checksum === undefined ? {} : { [`x-amz-checksum-${checksum.name}`]: checksum.value };
}

/** Opened only when it is read: a stream that nobody reads would keep the file open. */
async function* allOf({ head, read }: OpenObject): AsyncGenerator<Buffer> {
  if (head.size > 0) yield* read(0, head.size - 1);
}
