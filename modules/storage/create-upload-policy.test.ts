import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { createUploadPolicy } from './create-upload-policy.ts';
import { createStorage, type StorageSettings } from './storage.ts';

const settings: StorageSettings = {
  endpoint: 'https://s3.example.com',
  region: 'eu-central-1',
  bucket: 'files',
  accessKeyId: 'AKID',
  secretAccessKey: 'a secret',
  forcePathStyle: true,
};

function decode(policy: string | undefined): { expiration: string; conditions: unknown[] } {
  return JSON.parse(Buffer.from(policy ?? '', 'base64').toString());
}

test('[UPLOAD-1] an upload descriptor names the address, the fields, and the key', () => {
  const descriptor = createUploadPolicy(
    createStorage(settings),
    {
      key: 'uploads/7/a.png',
      contentType: 'image/png',
      maxBytes: 1000,
    },
    new Date('2026-03-01T10:00:00Z'),
  );
  assert.equal(descriptor.upload_url, 'https://s3.example.com/files/');
  assert.equal(descriptor.file_key, 'uploads/7/a.png');
  assert.equal(descriptor.upload_fields.key, 'uploads/7/a.png');
  assert.deepEqual(decode(descriptor.upload_fields.Policy), {
    expiration: '2026-03-01T10:05:00.000Z',
    conditions: [
      { bucket: 'files' },
      { key: 'uploads/7/a.png' },
      { 'Content-Type': 'image/png' },
      { 'X-Amz-Algorithm': 'AWS4-HMAC-SHA256' },
      { 'X-Amz-Credential': 'AKID/20260301/eu-central-1/s3/aws4_request' },
      { 'X-Amz-Date': '20260301T100000Z' },
      ['content-length-range', 1, 1000],
    ],
  });
});

for (const forcePathStyle of [true, false]) {
  test(`an upload policy has the address and fields that the S3 client creates, ${forcePathStyle ? 'path' : 'host'} style`, async () => {
    const storage = createStorage({ ...settings, forcePathStyle });
    const theirs = await createPresignedPost(storage.client, {
      Bucket: settings.bucket,
      Key: 'a.png',
      Fields: { 'Content-Type': 'image/png' },
    });
    const ours = createUploadPolicy(storage, { key: 'a.png', contentType: 'image/png', maxBytes: 10 }, new Date());
    assert.equal(ours.upload_url.replace(/\/$/, ''), theirs.url.replace(/\/$/, ''));
    const names = (fields: Record<string, string>) =>
      Object.keys(fields)
        .filter((name) => name !== 'bucket')
        .sort();
    assert.deepEqual(names(ours.upload_fields), names(theirs.fields));
  });
}
