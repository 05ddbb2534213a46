import { type FormCall, sendXml } from './call.ts';
import { formFieldsAsHeaders, storedHeaders } from './object-headers.ts';
import { checkBucket, writeObject } from './object-store.ts';
import { checkPolicy, checkPolicySignature, type FormFields, type SizeRange } from './policy.ts';
import { type FormFile, receiveForm } from './receive-form.ts';
import { checkKey, encodeUri } from './request-target.ts';
import { S3Error } from './s3-error.ts';
import type { ObjectHead } from './stored-file.ts';

/** Stands in a key for the file's own name. */
const FILENAME_VARIABLE = /\$\{filename\}/g;

/**
 * PostObject: a browser's form upload. The signed policy is the only proof, so it is enforced whole before the first byte
 * of the file is kept, and its size range while the file arrives ("Browser-Based Uploads Using POST").
 */
export async function postObject(call: FormCall): Promise<unknown> {
  const { store, request, reply, target } = call;
  await checkBucket(store, target.bucket);
  const { head, fields } = await receiveForm(request.raw, async (sent, file) => {
    const fields = resolveFields(sent, file, target.bucket);
    checkPolicySignature(fields, call.credentials);
    const size = checkPolicy(fields, target.bucket, call.now);
    const at = { bucket: target.bucket, key: fields.get('key') ?? '' };
    const headers = storedHeaders(formFieldsAsHeaders(fields));
    return { head: await writeObject(store, at, withinSize(file.bytes, size), { headers }), fields };
  });
  const location = `${request.protocol}://${request.host}/${target.bucket}/${head.key.split('/').map(encodeUri).join('/')}`;
  reply.headers({ etag: head.etag, location });
  return answer(call, fields, head, location);
}

/** The fields as the policy sees them, with the key that the object will really have. */
function resolveFields(sent: FormFields, file: FormFile, bucket: string): FormFields {
  const key = sent.get('key');
  if (key === undefined || key === '') {
    const message =
      "Bucket POST must contain a field named 'key'. If it is specified, please check the order of the fields.";
    throw new S3Error('InvalidArgument', message, { ArgumentName: 'key' });
  }
  const named = sent.get('bucket');
  if (named !== undefined && named !== bucket) {
    throw new S3Error('AccessDenied', 'Invalid according to Policy: the form names another bucket than its address.');
  }
  const fields = new Map(sent).set(
    'key',
    key.replaceAll(FILENAME_VARIABLE, () => file.filename),
  );
  checkKey(fields.get('key') ?? '');
  return fields;
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

function answer({ reply, target }: FormCall, fields: FormFields, head: ObjectHead, location: string): unknown {
  switch (fields.get('success_action_status')) {
    case '200':
      return reply.code(200).send();
    case '201':
      reply.code(201);
      return sendXml(reply, 'PostResponse', {
        Location: location,
        Bucket: target.bucket,
        Key: head.key,
        ETag: head.etag,
      });
    default:
      return reply.code(204).send();
  }
}
