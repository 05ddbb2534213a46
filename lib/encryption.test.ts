import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type EncryptionKey, keyedHashes, open, reencrypt, type SealedKind, seal } from './encryption.ts';

const KINDS: SealedKind[] = ['totp secret', 'bank account number', 'bank file', 'bank return file'];
const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const secrets = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 2, maxLength: 5 });

test('[OPERATE-3] a value opens with the secret that encrypted it, whichever of several that is, and only where it belongs', () => {
  fc.assert(
    fc.property(secrets, fc.nat(), fc.constantFrom(...KINDS), text, text, (all, which, kind, plain, context) => {
      const keys = all as unknown as EncryptionKey & readonly string[];
      const own = all[which % all.length] as string;
      const sealed = seal(own, kind, plain, context);
      assert.equal(open(keys, kind, sealed, context), plain);
      for (const [secret, otherKind, otherContext] of [
        [all.filter((one) => one !== own) as unknown as EncryptionKey, kind, context],
        [keys, KINDS.find((one) => one !== kind) as SealedKind, context],
        [keys, kind, `${context}.`],
      ] as const)
        assert.throws(() => open(secret, otherKind, sealed, otherContext));
      for (let at = 0; at < sealed.length; at += 1) {
        const changed = Buffer.from(sealed);
        changed[at] = (changed[at] as number) ^ 1;
        assert.throws(() => open(keys, kind, changed, context), `byte ${at}`);
      }
      assert.throws(() => open(keys, kind, sealed.subarray(0, -1), context));
    }),
    { numRuns: 30 },
  );
});

test('[OPERATE-3] only the current secret encrypts: again what a previous one encrypted, and nothing twice', () => {
  fc.assert(
    fc.property(secrets, fc.nat(), text, (all, which, plain) => {
      const keys = all as unknown as EncryptionKey & readonly string[];
      const [current = ''] = all;
      const own = all[which % all.length] as string;
      const again = reencrypt(keys, 'bank file', seal(own, 'bank file', plain, 'a row'), 'a row');
      assert.equal(again === null, own === current);
      if (again !== null) {
        assert.equal(open(current, 'bank file', again, 'a row'), plain);
        assert.equal(reencrypt(keys, 'bank file', again, 'a row'), null);
      }
      assert.throws(() => reencrypt(keys, 'bank file', seal('a stranger', 'bank file', plain, 'a row'), 'a row'));
      const sealed = seal(keys, 'bank file', plain, 'a row');
      assert.equal(open(current, 'bank file', sealed, 'a row'), plain);
      assert.ok(!sealed.equals(seal(keys, 'bank file', plain, 'a row')), 'the same value is never stored twice');
    }),
    { numRuns: 30 },
  );
});

test('[OPERATE-3] a text has one hash of each secret, the current first, and another for each purpose', () => {
  const hashes = (secret: EncryptionKey, purpose: Parameters<typeof keyedHashes>[1], of = 'a code') =>
    keyedHashes(secret, purpose, of).map((hash) => hash.toString('hex'));
  const [current, previous, older] = ['current', 'previous', 'older'].map((secret) => hashes(secret, 'backup code')[0]);
  assert.deepEqual(hashes(['current', 'previous', 'older'], 'backup code'), [current, previous, older]);
  const others = [hashes('current', 'one-time code'), hashes('current', 'proof of funds'), hashes('current', 'backup code', 'b')];
  assert.equal(new Set([current, previous, older, ...others.flat()]).size, 6);
});
