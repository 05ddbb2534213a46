/** The bytes of a VAPID public key, which the API gives in base64url. */
export function keyBytes(publicKey: string): Uint8Array<ArrayBuffer> {
  const base64 = publicKey.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Whether a subscription was made with this key. A browser that does not say gets the benefit of the doubt. */
export function isMadeWith(used: ArrayBuffer | null | undefined, publicKey: string): boolean {
  if (used === null || used === undefined) return true;
  const [before, now] = [new Uint8Array(used), keyBytes(publicKey)];
  return before.length === now.length && before.every((byte, at) => byte === now[at]);
}

/** SHA-256 of an endpoint in hexadecimal: names a subscription without giving its address away. */
export async function endpointDigest(endpoint: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
