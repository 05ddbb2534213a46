import { S3Error } from './s3-error.ts';
import { ALGORITHM, type Credentials, deriveSigningKey, equalInConstantTime, hmac, parseTime } from './sigv4.ts';

/** Fields of a form by their names in lower case. */
export type FormFields = ReadonlyMap<string, string>;

/** The size of the file in bytes, both ends inclusive. */
export interface SizeRange {
  min: number;
  max: number;
}

/** The document that `createUploadPolicy` signs. Each condition is a field with its only value, or the range of sizes. */
interface Policy {
  expiration: string;
  conditions: (Record<string, string> | ['content-length-range', min: number, max: number])[];
}

/** A browser upload whose policy has no size range has the limit of a PUT (5 GiB). */
const FILE_MAX_BYTES = 5 * 1024 ** 3;
/** Fields that need no condition ("Browser-Based Uploads Using POST", Creating a POST policy). */
const EXEMPT = new Set(['x-amz-signature', 'policy', 'file']);

/**
 * Requires a valid signature over a form's policy.
 * @throws {S3Error} AccessDenied (no policy), InvalidArgument, InvalidAccessKeyId, SignatureDoesNotMatch
 */
export function requirePolicySignature(fields: FormFields, credentials: Credentials): void {
  const policy = fields.get('policy');
  if (policy === undefined) throw new S3Error('AccessDenied', 'Access Denied.');
  const required = (name: string): string => {
    const value = fields.get(name.toLowerCase());
    if (value !== undefined && value !== '') return value;
    throw new S3Error('InvalidArgument', `Bucket POST must contain a field named '${name}'.`, { ArgumentName: name });
  };
  if (required('X-Amz-Algorithm') !== ALGORITHM) {
    throw new S3Error('InvalidArgument', `X-Amz-Algorithm only supports ${ALGORITHM}.`);
  }
  const credential = required('X-Amz-Credential').split('/');
  const time = required('X-Amz-Date');
  const signature = required('X-Amz-Signature');
  if (credential.length < 5 || credential.slice(0, -4).join('/') !== credentials.accessKeyId) {
    throw new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.');
  }
  const day = time.slice(0, 8);
  const scope = `${day}/${credentials.region}/s3/aws4_request`;
  const expected = hmac(deriveSigningKey(credentials, day), policy);
  const matches = equalInConstantTime(expected, signature);
  if (parseTime(time) === null || credential.slice(-4).join('/') !== scope || !matches) {
    throw new S3Error('SignatureDoesNotMatch', 'The request signature we calculated does not match the one you provided.');
  }
}

/**
 * Parses the policy of a form, whose signature has been verified, and requires that the form meets it: the policy has not
 * expired, every condition is met, and every field is covered by one. The bucket is the one in the address, whether or not the
 * form names it.
 * @returns the size that the file may have, which only its stream can show
 * @throws {S3Error} AccessDenied
 */
export function parsePolicy(fields: FormFields, bucket: string, now: Date): SizeRange {
  const document = Buffer.from(fields.get('policy') ?? '', 'base64').toString();
  const { expiration, conditions } = JSON.parse(document) as Policy;
  if (now.getTime() >= Date.parse(expiration)) throw denied('Policy expired.');
  const size: SizeRange = { min: 0, max: FILE_MAX_BYTES };
  const covered = new Set<string>();
  for (const condition of conditions) {
    if (Array.isArray(condition)) {
      [, size.min, size.max] = condition;
      continue;
    }
    for (const [name, value] of Object.entries(condition)) {
      const field = name.toLowerCase();
      covered.add(field);
      const actual = field === 'bucket' ? bucket : fields.get(field);
      if (actual !== value) throw denied(`Policy Condition failed: ${JSON.stringify({ [field]: value })}`);
    }
  }
  const extra = [...fields.keys()].filter((name) => !covered.has(name) && !EXEMPT.has(name));
  if (extra.length > 0) throw denied(`Extra input fields: ${extra.join(', ')}`);
  return size;
}

function denied(why: string): S3Error {
  return new S3Error('AccessDenied', `Invalid according to Policy: ${why}`);
}
