/** For whom notifications are on in this browser; the address as a digest only, which is what the API compares. */
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

/** Null where nothing of ours is kept. */
export function parseOwner(kept: string | null): PushOwner | null {
  try {
    const value: unknown = JSON.parse(kept ?? 'null');
    return isOwner(value) ? value : null;
  } catch {
    return null;
  }
}

/** Notes whose notifications come here, or that nobody's do. */
export function keepOwner(owner: PushOwner | null): void {
  write(OWNER, owner === null ? null : JSON.stringify(owner));
  for (const listener of listeners) listener();
}

/** Calls back whenever notifications were turned on or off in this window. */
export function onOwnerChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether somebody here does not want to be asked again. */
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
    // Storage is full or switched off: the next visit asks the API.
  }
}

function isOwner(value: unknown): value is PushOwner {
  if (typeof value !== 'object' || value === null || !('user_id' in value) || !('digest' in value)) return false;
  return typeof value.user_id === 'number' && typeof value.digest === 'string';
}
