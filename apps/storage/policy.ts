import { S3Error } from './s3-error.ts';
import { ALGORITHM, type Credentials, deriveSigningKey, equalInConstantTime, hmac, parseTime } from './sigv4.ts';

/** Fields of a form by their names in lower case. */
export type FormFields = ReadonlyMap<string, string>;

/** How many bytes the file may have, both inclusive. */
export interface SizeRange {
  min: number;
  max: number;
}

/** A field that has one value, or the size of the file. */
type Condition = { field: string; value: string } | SizeRange;

/** A browser upload without a length in its policy is bounded as a PUT is (5 GiB). */
const FILE_MAX_BYTES = 5 * 1024 ** 3;
/** Fields that need no condition ("Browser-Based Uploads Using POST", Creating a POST policy). */
const EXEMPT = new Set(['x-amz-signature', 'policy', 'file']);

/**
 * Checks the signature over a form's policy.
 * @throws {S3Error} AccessDenied (no policy), InvalidArgument, InvalidAccessKeyId, SignatureDoesNotMatch
 */
export function checkPolicySignature(fields: FormFields, credentials: Credentials): void {
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
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the one you provided.',
    );
  }
}

/**
 * Checks a form against its policy: not expired, every condition met, every field covered by one. The bucket is
 * the one of the address, whether or not the form names it. Returns the size that the file may have, which only its stream
 * can show.
 * @throws {S3Error} InvalidPolicyDocument, AccessDenied
 */
export function checkPolicy(fields: FormFields, bucket: string, now: Date): SizeRange {
  const { expiration, conditions } = parsePolicy(fields.get('policy') ?? '');
  if (now.getTime() >= expiration) throw denied('Policy expired.');
  const size: SizeRange = { min: 0, max: FILE_MAX_BYTES };
  const covered = new Set<string>();
  for (const condition of conditions) {
    if ('min' in condition) {
      size.min = Math.max(size.min, condition.min);
      size.max = Math.min(size.max, condition.max);
      continue;
    }
    const { field, value } = condition;
    covered.add(field);
    const actual = field === 'bucket' ? bucket : fields.get(field);
    if (actual !== value) throw denied(`Policy Condition failed: ${JSON.stringify({ [field]: value })}`);
  }
  const extra = [...fields.keys()].filter((name) => !covered.has(name) && !EXEMPT.has(name));
  if (extra.length > 0) throw denied(`Extra input fields: ${extra.join(', ')}`);
  return size;
}

function parsePolicy(encoded: string): { expiration: number; conditions: Condition[] } {
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch {
    throw invalid('Invalid JSON.');
  }
  if (!isRecord(document)) throw invalid('Invalid JSON.');
  const expiration = typeof document.expiration === 'string' ? Date.parse(document.expiration) : Number.NaN;
  if (Number.isNaN(expiration)) throw invalid("Policy is missing a valid 'expiration'.");
  if (!Array.isArray(document.conditions)) throw invalid('Policy is missing conditions.');
  return { expiration, conditions: document.conditions.flatMap(parseCondition) };
}

/** The two kinds that the platform's policies have: `{field: value}`, and the range of sizes. */
function parseCondition(condition: unknown): Condition[] {
  if (Array.isArray(condition)) return [parseSizeRange(condition)];
  if (!isRecord(condition) || Object.keys(condition).length === 0) throw noCondition(condition);
  return Object.entries(condition).map(([field, value]) => {
    if (typeof value !== 'string') throw noCondition(condition);
    return { field: field.toLowerCase(), value };
  });
}

function parseSizeRange(condition: unknown[]): SizeRange {
  const [operator, min, max] = condition;
  const isRange = operator === 'content-length-range' && condition.length === 3;
  if (isRange && isSize(min) && isSize(max) && max >= min) return { min, max };
  throw noCondition(condition);
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(why: string): S3Error {
  return new S3Error('InvalidPolicyDocument', `Invalid Policy: ${why}`);
}

function noCondition(condition: unknown): S3Error {
  return invalid(`Invalid condition: ${JSON.stringify(condition)}.`);
}

function denied(why: string): S3Error {
  return new S3Error('AccessDenied', `Invalid according to Policy: ${why}`);
}
