import { S3Error } from './s3-error.ts';

/** Stored with an object and served with it again (PutObject, "Request Syntax"). */
const STORED = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];
/** Names that a pre-signed address may set for one answer, as `response-<name>`. */
const OVERRIDABLE = new Set(STORED);
const METADATA_PREFIX = 'x-amz-meta-';
const METADATA_MAX_BYTES = 2048;
const DEFAULT_TYPE = 'binary/octet-stream';

/**
 * The headers to keep with an object, out of those of a request or the fields of a form (names in lower case).
 * @throws {S3Error} MetadataTooLarge above 2 KiB of `x-amz-meta-*`
 */
export function storedHeaders(sent: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const kept: Record<string, string> = { 'content-type': DEFAULT_TYPE };
  let metadataBytes = 0;
  for (const [name, value] of Object.entries(sent)) {
    const text = headerValue([value ?? []].flat().join(','));
    if (name.startsWith(METADATA_PREFIX)) metadataBytes += name.length - METADATA_PREFIX.length + text.length;
    else if (!STORED.includes(name)) continue;
    // `aws-chunked` describes the way here, not the object.
    const stored = name === 'content-encoding' ? withoutChunked(text) : text;
    if (stored !== '') kept[name] = stored;
  }
  if (metadataBytes > METADATA_MAX_BYTES) {
    throw new S3Error('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size.');
  }
  return kept;
}

/** The headers that `response-*` parameters of a signed address put in place of the stored ones. */
export function overriddenHeaders(query: ReadonlyMap<string, string>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [parameter, value] of query) {
    const name = parameter.replace(/^response-/, '');
    if (parameter !== name && OVERRIDABLE.has(name)) headers[name] = headerValue(Buffer.from(value).toString('latin1'));
  }
  return headers;
}

/** Form fields are UTF-8 where headers are bytes: the bytes are kept, as they would be in a header. */
export function formFieldsAsHeaders(fields: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...fields].map(([name, value]) => [name, Buffer.from(value).toString('latin1')]));
}

function headerValue(text: string): string {
  const forbidden = [...text].some((char) => (char < ' ' && char !== '\t') || char === '\x7f');
  if (forbidden) throw new S3Error('InvalidArgument', 'A header value holds a control character.');
  return text.trim();
}

function withoutChunked(encoding: string): string {
  const codings = encoding.split(',').map((coding) => coding.trim());
  return codings.filter((coding) => coding.toLowerCase() !== 'aws-chunked').join(', ');
}
