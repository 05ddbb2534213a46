import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStorage, signDownloadUrl } from '@case-platform/modules/storage';
import { securityHeaders } from './security-headers.ts';

const SETTINGS = { region: 'us-east-1', bucket: 'files', accessKeyId: 'AKID', secretAccessKey: 'a secret' };
const ADDRESSES: [endpoint: string, inPath: string, inHost: string | null][] = [
  ['https://a.test', 'https://a.test', 'https://files.a.test'],
  ['https://a.test:9000', 'https://a.test:9000', 'https://files.a.test:9000'],
  ['https://u:p@a.test:9000/base', 'https://a.test:9000', 'https://files.a.test:9000'],
  ['http://[::1]:9000/base', 'http://[::1]:9000', null],
];

test('[UPLOAD-1] the policy of staff pages allows the origin at which the store has its files, at each kind of address', () => {
  for (const [address, inPath, inHost] of ADDRESSES)
    for (const name of ['endpoint', 'publicEndpoint'])
      for (const [origin, forcePathStyle] of [[inPath, true] as const, [inHost, false] as const]) {
        if (origin === null) continue;
        const settings = { ...SETTINGS, endpoint: 'https://inside.test', forcePathStyle, [name]: address };
        const policy = securityHeaders({ production: true, storage: settings })['content-security-policy'];
        for (const directive of [`img-src 'self' data: ${origin};`, `connect-src 'self' ${origin};`])
          assert.ok(policy.includes(directive), `${address}: ${policy}`);
        const file = { key: 'a', filename: 'a', contentType: 'text/plain' };
        const { url } = signDownloadUrl(createStorage(settings), file, new Date());
        assert.equal(new URL(url).origin, origin, 'the address of a file');
      }
});
