import { createECDH, randomBytes } from 'node:crypto';
import { decrypt } from 'http_ece';

/** A browser's half of a push subscription: the keys it gives away, and those it keeps to read what arrives. */
export class PushDevice {
  readonly #pair = createECDH('prime256v1');
  readonly keys: { p256dh: string; auth: string };

  constructor() {
    this.keys = { p256dh: this.#pair.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
  }

  /** What an encrypted body says; throws for one that is not for this device. */
  read(body: Buffer): { title: string; body: string; tag: string; data: { url: string }; [field: string]: unknown } {
    const text = decrypt(body, { version: 'aes128gcm', privateKey: this.#pair, authSecret: this.keys.auth });
    return JSON.parse(text.toString());
  }
}
