import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChecksumName, startChecksum } from './checksums.ts';

// Check values of "123456789" from the catalogue of parametrised CRC algorithms, and of the hash standards' own tools.
const known: Record<ChecksumName, string> = {
  crc32: 'cbf43926',
  crc32c: 'e3069283',
  crc64nvme: 'ae8b14860a799888',
  sha1: 'f7c3bc1d808e04732adf679965ccc34ca7ae3441',
  sha256: '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225',
};

for (const [name, hex] of Object.entries(known) as [ChecksumName, string][]) {
  test(`${name} of a known text, in one piece and in two`, () => {
    const whole = startChecksum(name);
    whole.update(Buffer.from('123456789'));
    assert.equal(Buffer.from(whole.digest(), 'base64').toString('hex'), hex);
    const pieces = startChecksum(name);
    pieces.update(Buffer.from('1234'));
    pieces.update(Buffer.from('56789'));
    assert.equal(Buffer.from(pieces.digest(), 'base64').toString('hex'), hex);
  });
}
