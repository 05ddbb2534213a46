/** Decodes a VAPID public key, which the API returns in base64url. */
export function keyBytes(publicKey: string): Uint8Array<ArrayBuffer> {
  const base64 = publicKey.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** True if a subscription was made with this key, or if the browser does not say which key was used. */
export function isSubscribedWithKey(key: ArrayBuffer | null | undefined, publicKey: string): boolean {
  if (key === null || key === undefined) return true;
  const [before, now] = [new Uint8Array(key), keyBytes(publicKey)];
  return before.length === now.length && before.every((byte, at) => byte === now[at]);
}

/** Returns the SHA-256 of an endpoint in hexadecimal, which identifies a subscription without revealing its address. */
export async function endpointDigest(endpoint: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
