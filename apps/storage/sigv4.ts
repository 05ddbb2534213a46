import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { encodeUri, type RequestTarget } from './request-target.ts';
import { S3Error } from './s3-error.ts';

/** The only pair of keys of this store, and its region. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

export interface SignableRequest {
  method: string;
  target: RequestTarget;
  /** Every value of each header in lower case, undecoded (Node's `headersDistinct`). */
  headers: Readonly<Record<string, string[] | undefined>>;
}

export const ALGORITHM = 'AWS4-HMAC-SHA256';
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
/** A request's clock may be off by this much (S3: RequestTimeTooSkewed). */
const CLOCK_SKEW_MS = 15 * 60_000;
const EXPIRES_MAX_SECONDS = 7 * 24 * 3600;

/** The parts of an authorization, from the header or the query. */
interface Claim {
  credential: string;
  signedHeaders: string[];
  signature: string;
  time: string;
  payload: string;
  malformed: 'AuthorizationHeaderMalformed' | 'AuthorizationQueryParametersError';
}

/**
 * Verifies Signature Version 4, in the `Authorization` header or in the query of a pre-signed address
 * (AWS, "Authenticating Requests (AWS Signature Version 4)").
 * @returns the signed value for the body: its SHA-256 in hex, or a word such as `UNSIGNED-PAYLOAD`
 * @throws {S3Error} AccessDenied for an anonymous or expired request, RequestTimeTooSkewed, InvalidAccessKeyId,
 *   SignatureDoesNotMatch, or one of the codes for malformed parts.
 */
export function verifySignature(request: SignableRequest, credentials: Credentials, now: Date): string {
  const inQuery = request.target.query.has('X-Amz-Algorithm') || request.target.query.has('X-Amz-Signature');
  const inHeader = request.headers.authorization !== undefined;
  if (inQuery && inHeader) throw new S3Error('InvalidArgument', 'Only one auth mechanism allowed.');
  if (!inQuery && !inHeader) throw new S3Error('AccessDenied', 'Access Denied.');
  const claim = inQuery ? claimInQuery(request, now) : claimInHeader(request, now);
  const scope = parseScope(claim, credentials);
  requireSignedHeaders(claim, request);
  const signingKey = deriveSigningKey(credentials, claim.time.slice(0, 8));
  const toSign = `${ALGORITHM}\n${claim.time}\n${scope}\n${sha256(canonicalRequest(request, claim))}`;
  if (!equalInConstantTime(hmac(signingKey, toSign), claim.signature)) {
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    );
  }
  return claim.payload;
}

function claimInHeader({ headers }: SignableRequest, now: Date): Claim {
  const malformed = 'AuthorizationHeaderMalformed';
  const [scheme, rest = ''] = splitOnce((headers.authorization ?? []).join(','), ' ');
  if (scheme !== ALGORITHM) throw new S3Error('InvalidArgument', 'Unsupported Authorization Type.');
  const fields = new Map(rest.split(',').map((field) => splitOnce(field.trim(), '=')));
  const credential = fields.get('Credential');
  const signedHeaders = fields.get('SignedHeaders');
  const signature = fields.get('Signature');
  if (!credential || !signedHeaders || !signature) {
    throw new S3Error(malformed, 'The authorization header is malformed; a component is missing.');
  }
  const time = headers['x-amz-date']?.[0] ?? '';
  const sentAt = parseTime(time);
  if (sentAt === null) {
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header.');
  }
  if (Math.abs(now.getTime() - sentAt) > CLOCK_SKEW_MS) {
    throw new S3Error('RequestTimeTooSkewed', 'The difference between the request time and the current time is too large.');
  }
  const payload = headers['x-amz-content-sha256']?.[0];
  if (!payload) throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256.');
  return { credential, signedHeaders: signedHeaders.split(';'), signature, time, payload, malformed };
}

function claimInQuery({ target: { query }, headers }: SignableRequest, now: Date): Claim {
  const malformed = 'AuthorizationQueryParametersError';
  const parameter = (name: string): string => {
    const value = query.get(`X-Amz-${name}`);
    if (value) return value;
    throw new S3Error(malformed, `Query-string authentication requires the parameter X-Amz-${name}.`);
  };
  if (parameter('Algorithm') !== ALGORITHM) throw new S3Error(malformed, `X-Amz-Algorithm only supports ${ALGORITHM}.`);
  const time = parameter('Date');
  const signedAt = parseTime(time);
  if (signedAt === null) throw new S3Error(malformed, 'X-Amz-Date must be in the ISO8601 Long Format.');
  const expires = parameter('Expires');
  if (!/^\d{1,7}$/.test(expires) || Number(expires) < 1 || Number(expires) > EXPIRES_MAX_SECONDS) {
    throw new S3Error(malformed, `X-Amz-Expires must be from 1 to ${EXPIRES_MAX_SECONDS} seconds.`);
  }
  if (signedAt - now.getTime() > CLOCK_SKEW_MS) throw new S3Error('AccessDenied', 'Request is not yet valid.');
  if (now.getTime() >= signedAt + Number(expires) * 1000) throw new S3Error('AccessDenied', 'Request has expired.');
  return {
    credential: parameter('Credential'),
    signedHeaders: parameter('SignedHeaders').split(';'),
    signature: parameter('Signature'),
    time,
    payload: query.get('X-Amz-Content-Sha256') ?? headers['x-amz-content-sha256']?.[0] ?? UNSIGNED_PAYLOAD,
    malformed,
  };
}

/** Parses a credential. @returns its scope. @throws {S3Error} for another key, and for a scope of another day or region. */
function parseScope({ credential, time, malformed }: Claim, credentials: Credentials): string {
  const parts = credential.split('/');
  const scope = parts.slice(-4).join('/');
  if (parts.length < 5) throw new S3Error(malformed, 'The Credential is mal-formed.');
  if (parts.slice(0, -4).join('/') !== credentials.accessKeyId) {
    throw new S3Error('InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.');
  }
  if (scope !== `${time.slice(0, 8)}/${credentials.region}/s3/aws4_request`) {
    throw new S3Error(malformed, `The credential scope must be of the signing day, ${credentials.region} and s3.`, {
      Region: credentials.region,
    });
  }
  return scope;
}

/** Host and every `x-amz-*` header must be signed, because otherwise an attacker on the way could change a signed request. */
function requireSignedHeaders({ signedHeaders, malformed }: Claim, { headers }: SignableRequest): void {
  if (!signedHeaders.includes('host')) throw new S3Error(malformed, 'The host header must be signed.');
  const unsigned = Object.keys(headers).filter(
    (name) => name.startsWith('x-amz-') && name !== 'x-amz-content-sha256' && !signedHeaders.includes(name),
  );
  if (unsigned.length > 0) {
    throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed.', {
      HeadersNotSigned: unsigned.join(', '),
    });
  }
}

function canonicalRequest({ method, target, headers }: SignableRequest, claim: Claim): string {
  const query = [...target.query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encodeUri(name)}=${encodeUri(value)}`)
    .sort()
    .join('&');
  const lines = claim.signedHeaders.map((name) => {
    const values = (headers[name] ?? []).map((value) => value.trim().replaceAll(/ +/g, ' '));
    return `${name}:${values.join(',')}\n`;
  });
  return `${method}\n${target.rawPath}\n${query}\n${lines.join('')}\n${claim.signedHeaders.join(';')}\n${claim.payload}`;
}

/** The key that signs everything of one UTC day (`20260301`) in one region. */
export function deriveSigningKey({ secretAccessKey, region }: Credentials, day: string): Buffer {
  let key = createHmac('sha256', `AWS4${secretAccessKey}`).update(day).digest();
  for (const part of [region, 's3', 'aws4_request']) key = createHmac('sha256', key).update(part).digest();
  return key;
}

/** HMAC-SHA256 in hex. Header values are Latin-1 in Node and everything else here is ASCII. */
export function hmac(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text, 'latin1').digest('hex');
}

/** SHA-256 in hex, of text in Latin-1. */
function sha256(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex');
}

/** Compares two texts in a time that does not reveal how much of them is equal. */
export function equalInConstantTime(left: string, right: string): boolean {
  const digests = [left, right].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(digests[0] as Buffer, digests[1] as Buffer);
}

/** Milliseconds since 1970 of `20260301T120000Z`, or null. */
export function parseTime(text: string): number | null {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second] = match;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? null : time;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
