import { ALGORITHM, bucketAddress, sign, signingScope } from './signing.ts';
import type { Storage } from './storage.ts';

export interface UploadPolicyInput {
  /** The only key that may be written. */
  key: string;
  /** The only content type that may be claimed. */
  contentType: string;
  /** The smallest and largest size in bytes, both inclusive. An empty file is never accepted. */
  minBytes?: number;
  maxBytes: number;
  /** Seconds. */
  expiresIn?: number;
}

/** Everything that a browser needs to send one file directly to the storage (UPLOAD-1). */
export interface UploadDescriptor {
  upload_url: string;
  /** Form fields, which all come before the file (UPLOAD-3). */
  upload_fields: Record<string, string>;
  file_key: string;
}

/** Seconds within which an upload has to start (UPLOAD-4). */
const UPLOAD_POLICY_TTL = 300;

/**
 * Signs a policy for one form upload: exactly this key and content type, a range of sizes, and a few minutes (UPLOAD-4; Amazon
 * S3, "Creating a POST policy"). The storage enforces it, but not every store enforces all of it, so the file is checked again
 * before it is used. Makes no network call.
 */
export function createUploadPolicy(storage: Storage, input: UploadPolicyInput, now: Date): UploadDescriptor {
  const { key, contentType, minBytes = 1, maxBytes, expiresIn = UPLOAD_POLICY_TTL } = input;
  const signing = signingScope(storage, now);
  const { origin, path } = bucketAddress(storage);
  const fields: Record<string, string> = {
    key,
    'Content-Type': contentType,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': signing.credential,
    'X-Amz-Date': signing.time,
  };
  const document = {
    expiration: new Date(now.getTime() + expiresIn * 1000).toISOString(),
    conditions: [
      { bucket: storage.settings.bucket },
      ...Object.entries(fields).map(([name, value]) => ({ [name]: value })),
      ['content-length-range', minBytes, maxBytes],
    ],
  };
  const policy = Buffer.from(JSON.stringify(document)).toString('base64');
  return {
    upload_url: `${origin}${path}`,
    upload_fields: { ...fields, Policy: policy, 'X-Amz-Signature': sign(storage, signing, policy) },
    file_key: key,
  };
}
