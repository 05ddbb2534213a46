import { createECDH, randomBytes } from 'node:crypto';
import { decrypt } from 'http_ece';

/** A browser's side of a push subscription: its public keys, and the private ones that decrypt what arrives. */
export class PushDevice {
  readonly #pair = createECDH('prime256v1');
  readonly keys: { p256dh: string; auth: string };

  constructor() {
    this.keys = { p256dh: this.#pair.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
  }

  /** Decrypts a body. @throws when it is not for this device. */
  read(body: Buffer): { title: string; body: string; tag: string; data: { url: string }; [field: string]: unknown } {
    const text = decrypt(body, { version: 'aes128gcm', privateKey: this.#pair, authSecret: this.keys.auth });
    return JSON.parse(text.toString());
  }
}
