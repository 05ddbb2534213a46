import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createUploadPolicy } from './create-upload-policy.ts';
import { signDownloadUrl } from './sign-download-url.ts';
import { createStorage, type Storage, type StorageSettings } from './storage.ts';

const settings: StorageSettings = {
  endpoint: 'http://localhost:4002',
  region: 'eu-central-1',
  bucket: 'files',
  accessKeyId: 'AKID',
  secretAccessKey: 'a secret/with+signs',
  forcePathStyle: true,
};
const now = new Date('2026-03-01T23:59:59.900Z');
const ascii = ['contract.pdf', 'Vertrag fur Anna (1)*.pdf', `it's _quoted_; a=b.txt`, '__ _.pdf', 'a_20b&c+d.csv'];
const filenames = ['contract.pdf', 'Vertrag für Anna (1)*.pdf', `it's "quoted"; a=b.txt`, '你好 🎉.pdf', 'a%20b&c+d.csv'];

for (const [endpoint, forcePathStyle] of [
  ['http://localhost:4002', true],
  ['http://localhost:4002', false],
  ['https://gateway.test/s3/', true],
] as const) {
  for (const [index, filename] of filenames.entries()) {
    test(`a download URL matches that of the S3 client: name ${index}, ${forcePathStyle ? 'path' : 'host'} style, ${endpoint}`, async () => {
      const storage = createStorage({ ...settings, endpoint, forcePathStyle });
      const key = `messages/1/2/${filename}`;
      const { url } = signDownloadUrl(storage, { key, filename, contentType: 'text/plain; charset=utf-8' }, now);
      const disposition = new URL(url).searchParams.get('response-content-disposition') ?? '';
      const [, plain, encoded] = /^attachment; filename="([\x20-\x7e]+)"; filename\*=UTF-8''(.+)$/.exec(disposition) ?? [];
      assert.equal(decodeURIComponent(encoded ?? ''), filename);
      assert.equal(plain, ascii[index]);
      const command = new GetObjectCommand({
        Bucket: settings.bucket,
        Key: key,
        ResponseContentDisposition: disposition,
        ResponseContentType: 'text/plain; charset=utf-8',
      });
      const theirs = new URL(await getSignedUrl(storage.client, command, { expiresIn: 3600, signingDate: now }));
      // The client adds an operation name and its own settings to the query, so its signature differs.
      for (const [name, value] of new URL(url).searchParams) {
        if (name !== 'X-Amz-Signature') assert.equal(theirs.searchParams.get(name), value, name);
      }
      assert.equal(new URL(url).host + new URL(url).pathname, theirs.host + theirs.pathname);
    });
  }
}

test('[FILE-4] the URL of an attachment names the moment at which it expires, one hour later', () => {
  const { url, url_expires_at } = signDownloadUrl(
    createStorage(settings),
    {
      key: 'a',
      filename: 'a',
      contentType: 'text/plain',
    },
    now,
  );
  assert.equal(new URL(url).searchParams.get('X-Amz-Expires'), '3600');
  assert.equal(new URL(url).searchParams.get('X-Amz-Date'), '20260301T235959Z');
  assert.equal(url_expires_at, '2026-03-02T00:59:59.000Z');
});

test('downloads and uploads are signed like in a new process, from one day to the next and back', () => {
  const days = ['2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00Z', '2026-03-01T12:00:00Z', '2027-03-02T00:00:00Z'];
  const longLived = createStorage(settings);
  const sign = (storage: Storage, day: string) => {
    const upload = { key: 'b', contentType: 'text/plain', maxBytes: 1 };
    return [
      signDownloadUrl(storage, { key: 'a', filename: 'a', contentType: 'text/plain' }, new Date(day)).url,
      createUploadPolicy(storage, upload, new Date(day)).upload_fields['X-Amz-Signature'],
    ];
  };
  for (const day of days) assert.deepEqual(sign(longLived, day), sign(createStorage(settings), day), day);
  const other = createStorage({ ...settings, secretAccessKey: 'another secret' });
  assert.notDeepEqual(sign(longLived, days[0] ?? ''), sign(other, days[0] ?? ''), 'each storage has a key of its own');
});

test('a download URL has the address that browsers use', () => {
  const storage = createStorage({ ...settings, publicEndpoint: 'https://files.example.com' });
  const { url } = signDownloadUrl(storage, { key: 'a', filename: 'a', contentType: 'text/plain' }, now);
  assert.ok(url.startsWith('https://files.example.com/files/a?'));
});

test('a lone surrogate in a name does not throw', () => {
  signDownloadUrl(createStorage(settings), { key: 'a', filename: 'a\ud800', contentType: 'text/plain' }, now);
});
