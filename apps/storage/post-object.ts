import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEFAULT_TYPE } from './object-operations.ts';
import { type ObjectStore, requireBucket, writeObject } from './object-store.ts';
import { parsePolicy, requirePolicySignature, type SizeRange } from './policy.ts';
import { receiveForm } from './receive-form.ts';
import { requireShortKey } from './request-target.ts';
import { S3Error } from './s3-error.ts';
import type { Credentials } from './sigv4.ts';

/** A form upload, which has a signed policy instead of a signed request. */
interface FormCall {
  store: ObjectStore;
  request: FastifyRequest;
  reply: FastifyReply;
  bucket: string;
  credentials: Credentials;
  now: Date;
}

/**
 * PostObject, a browser's form upload. The signed policy is the only proof, so all of it is enforced before the first byte of the
 * file is kept, and its size range while the file arrives ("Browser-Based Uploads Using POST").
 */
export async function postObject({ store, request, reply, bucket, credentials, now }: FormCall): Promise<unknown> {
  await requireBucket(store, bucket);
  const { etag } = await receiveForm(request.raw, async (fields, bytes) => {
    const key = fields.get('key');
    if (key === undefined || key === '') {
      const message = "Bucket POST must contain a field named 'key'. If it is specified, please check the order of the fields.";
      throw new S3Error('InvalidArgument', message, { ArgumentName: 'key' });
    }
    requireShortKey(key);
    requirePolicySignature(fields, credentials);
    const size = parsePolicy(fields, bucket, now);
    return writeObject(store, { bucket, key }, withinSize(bytes, size), fields.get('content-type') ?? DEFAULT_TYPE);
  });
  return reply.header('etag', etag).code(204).send();
}

async function* withinSize(bytes: AsyncIterable<Buffer>, { min, max }: SizeRange): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > max) {
      throw new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size.', {
        MaxSizeAllowed: String(max),
      });
    }
    yield piece;
  }
  if (size < min) {
    throw new S3Error('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size.', {
      ProposedSize: String(size),
      MinSizeAllowed: String(min),
    });
  }
}
