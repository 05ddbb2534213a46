import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';

/** Bare argon2id with the parameters of modules/accounts/password/passwords.ts: what a login cannot be faster than. */

const PASSWORD = 'Demo-Passw0rd!';
const stored = await hash(PASSWORD, { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 });

/** Verifies on every core for this long, and says how many a second. */
async function verifyFor(seconds: number): Promise<number> {
  const start = performance.now();
  let done = 0;
  const lane = async () => {
    while (performance.now() - start < seconds * 1000) {
      await verify(stored, PASSWORD);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return done / ((performance.now() - start) / 1000);
}

process.on('message', async ({ seconds }: { seconds: number }) => {
  process.send?.({ answer: 'verify', value: await verifyFor(seconds) });
});
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
