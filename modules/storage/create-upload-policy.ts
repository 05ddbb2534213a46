import { ALGORITHM, bucketAddress, sign, signingScope } from './signing.ts';
import type { Storage } from './storage.ts';

export interface UploadPolicyInput {
  /** The one key that may be written. */
  key: string;
  /** The one content type that may be claimed. */
  contentType: string;
  /** Smallest and largest file, in bytes, both inclusive. An empty file is never wanted. */
  minBytes?: number;
  maxBytes: number;
  /** Seconds. */
  expiresIn?: number;
  now?: Date;
}

/** Everything that a browser needs to send one file straight to the storage (UPLOAD-1). */
export interface UploadDescriptor {
  upload_url: string;
  /** Sent as form fields, all of them before the file. */
  upload_fields: Record<string, string>;
  file_key: string;
}

/** Seconds that an upload may begin within. */
const UPLOAD_POLICY_TTL = 300;

/**
 * A signed policy for one form upload: exact key, exact content type, a range of sizes, a few minutes. The storage
 * enforces it; what was really sent must still be checked before it is used, because not every store enforces all of it.
 * (Amazon S3, "Creating a POST policy".) No network involved.
 */
export function createUploadPolicy(storage: Storage, input: UploadPolicyInput): UploadDescriptor {
  const { key, contentType, minBytes = 1, maxBytes, expiresIn = UPLOAD_POLICY_TTL, now = new Date() } = input;
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
