import { type Call, sendXml } from './call.ts';
import { checkBucket, findHead, listKeys } from './object-store.ts';
import { encodeUri } from './request-target.ts';
import { S3Error } from './s3-error.ts';

const KEYS_A_PAGE = 1000;

interface Page {
  keys: string[];
  prefixes: string[];
  /** Where the next page goes on, or undefined at the end. */
  next: string | undefined;
}

interface PageRequest {
  prefix: string;
  delimiter: string;
  after: string;
  limit: number;
}

/** ListObjectsV2. A continuation token is the last name of the page before, and opaque to clients. */
export async function listObjects({ store, reply, target: { bucket, query } }: Call): Promise<unknown> {
  await checkBucket(store, bucket);
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const token = query.get('continuation-token');
  const after = token === undefined ? (query.get('start-after') ?? '') : decodeToken(token);
  const limit = pageSize(query.get('max-keys'));
  const encode =
    query.get('encoding-type') === 'url' ? (text: string) => encodeUri(text).replaceAll('%2F', '/') : String;
  const page = cutPage(await listKeys(store, bucket, prefix), { prefix, delimiter, after, limit });
  const heads = await Promise.all(page.keys.map((key) => findHead(store, { bucket, key })));
  return sendXml(reply, 'ListBucketResult', {
    Name: bucket,
    Prefix: encode(prefix),
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    MaxKeys: limit,
    EncodingType: query.get('encoding-type'),
    KeyCount: page.keys.length + page.prefixes.length,
    IsTruncated: page.next !== undefined,
    ContinuationToken: token,
    NextContinuationToken: page.next === undefined ? undefined : Buffer.from(page.next).toString('base64url'),
    StartAfter: query.get('start-after'),
    Contents: heads.flatMap((head) =>
      head === null
        ? []
        : [
            {
              Key: encode(head.key),
              LastModified: head.lastModified,
              ETag: head.etag,
              Size: head.size,
              StorageClass: 'STANDARD',
            },
          ],
    ),
    CommonPrefixes: page.prefixes.map((Prefix) => ({ Prefix: encode(Prefix) })),
  });
}

/** Rolls keys up to their next delimiter; each such prefix counts as one entry of the page. `keys` are in byte order. */
function cutPage(keys: string[], { prefix, delimiter, after, limit }: PageRequest): Page {
  const page: Page = { keys: [], prefixes: [], next: undefined };
  const afterBytes = Buffer.from(after);
  let last = '';
  for (const key of keys) {
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const rolled = cut === -1 ? undefined : key.slice(0, cut + delimiter.length);
    if (rolled !== undefined && rolled === page.prefixes.at(-1)) continue;
    if (after !== '' && Buffer.compare(Buffer.from(rolled ?? key), afterBytes) <= 0) continue;
    if (page.keys.length + page.prefixes.length >= limit) {
      page.next = limit === 0 ? undefined : last;
      break;
    }
    if (rolled === undefined) page.keys.push(key);
    else page.prefixes.push(rolled);
    last = rolled ?? key;
  }
  return page;
}

function pageSize(text: string | undefined): number {
  if (text === undefined) return KEYS_A_PAGE;
  if (!/^\d{1,10}$/.test(text))
    throw new S3Error('InvalidArgument', 'Provided max-keys not an integer or out of range.');
  return Math.min(Number(text), KEYS_A_PAGE);
}

function decodeToken(token: string): string {
  const text = Buffer.from(token, 'base64url').toString('utf8');
  if (text === '') throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect.');
  return text;
}
