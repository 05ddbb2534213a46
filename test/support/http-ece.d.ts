declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  /** Decrypts one body of the `aes128gcm` coding (RFC 8188) with a device's own key pair and secret (RFC 8291). */
  export function decrypt(body: Buffer, parameters: { version: 'aes128gcm'; privateKey: ECDH; authSecret: string }): Buffer;
}
