/** The person for whom notifications are on in this browser. The API compares endpoints by their digests. */
export interface PushOwner {
  user_id: number;
  /** SHA-256 of the endpoint, in hexadecimal. */
  digest: string;
}

const OWNER = 'case-platform.push';
const OFFER_DECLINED = 'case-platform.push-declined';
const listeners = new Set<() => void>();

export function readOwner(): PushOwner | null {
  try {
    return parseOwner(localStorage.getItem(OWNER));
  } catch {
    return null;
  }
}

/** Parses the stored owner; returns null for any other value. */
export function parseOwner(stored: string | null): PushOwner | null {
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    return isOwner(value) ? value : null;
  } catch {
    return null;
  }
}

/** Stores whose notifications this browser shows, or removes the entry for null. */
export function storeOwner(owner: PushOwner | null): void {
  write(OWNER, owner === null ? null : JSON.stringify(owner));
  for (const listener of listeners) listener();
}

/** Calls the listener whenever notifications are turned on or off in this window. @returns a function that removes it. */
export function onOwnerChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** True if the offer was declined on this device, or if that cannot be read. */
export function isOfferDeclined(): boolean {
  try {
    return localStorage.getItem(OFFER_DECLINED) !== null;
  } catch {
    return true;
  }
}

export function declineOffer(): void {
  write(OFFER_DECLINED, new Date().toISOString());
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage is full or switched off. The next visit gets the state from the API.
  }
}

function isOwner(value: unknown): value is PushOwner {
  if (typeof value !== 'object' || value === null || !('user_id' in value) || !('digest' in value)) return false;
  return typeof value.user_id === 'number' && typeof value.digest === 'string';
}
