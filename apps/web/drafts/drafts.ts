/** Drafts are stored on this device by person and chain until they are sent or the person signs out (OUTBOX-3). */
const PREFIX = 'case-platform.draft';

/** A message that the API has not confirmed, as this device stores it. */
export interface Outgoing {
  key: string;
  text: string;
  /** Files are lost at a reload, but their names are not. */
  fileNames: string[];
  startedAt: string;
  /** True while it is sent without another decision of its writer; false after it has failed or was cancelled. */
  underWay: boolean;
}

/** The id of a chain, or one of three parts of a new chain: its message, its subject, its last attempt; or a request's form. */
type Place = number | 'new' | 'new-subject' | 'new-attempt' | `request-${string}`;

/** Returns an empty string if there is no draft. */
export function readDraft(userId: number, place: Place): string {
  return read(`${PREFIX}.${userId}.${place}`) ?? '';
}

/** Joins a draft and the text typed before it was read. If one contains the other, as after a browser's restore, it wins. */
export function joinDrafts(draft: string, typed: string): string {
  if (draft.includes(typed)) return draft;
  return typed.includes(draft) ? typed : `${draft}\n\n${typed}`;
}

/** Stores a draft. An empty text deletes it, and for a new chain its attempt too, so that the same text may be sent again. */
export function keepDraft(userId: number, place: Place, text: string): void {
  write(`${PREFIX}.${userId}.${place}`, text === '' ? null : text);
  if (place === 'new' && text === '') write(`${PREFIX}.${userId}.new-attempt`, null);
}

/** An attempt to start a chain or to save a request: its idempotency key, and the content that was sent with it. */
export interface Attempt {
  key: string;
  content: string;
}

/** Returns the last unconfirmed attempt to start a chain, or null. */
export function readAttempt(userId: number): Attempt | null {
  return asAttempt(readJson(`${PREFIX}.${userId}.new-attempt`));
}

/** Parses a stored attempt; returns null for any other value. */
export function asAttempt(value: unknown): Attempt | null {
  if (typeof value !== 'object' || value === null || !('key' in value) || !('content' in value)) return null;
  const { key, content } = value;
  return typeof key === 'string' && typeof content === 'string' ? { key, content } : null;
}

/** Lists the unconfirmed messages of a chain, oldest first. */
export function readOutgoing(userId: number, place: Place): Outgoing[] {
  const entries = storedKeys(outgoingKey(userId, place, '')).map((key) => readJson(key));
  return entries
    .filter(isOutgoing)
    .map((outgoing) => ({ ...outgoing, underWay: outgoing.underWay === true }))
    .sort((one, other) => one.startedAt.localeCompare(other.startedAt));
}

/** Lists the ids of chains that have unconfirmed messages on this device. */
export function chainsWithOutgoing(userId: number): number[] {
  const start = `${PREFIX}.${userId}.`;
  const places = storedKeys(start).map((key) => /^(\d+)\.outgoing\./.exec(key.slice(start.length))?.[1]);
  return [...new Set(places.filter((place) => place !== undefined).map(Number))];
}

/** Stores an outgoing message under its own key, because another tab may store messages of the same chain. */
export function keepOutgoing(userId: number, place: Place, outgoing: Outgoing): void {
  const { key, text, fileNames, startedAt, underWay } = outgoing;
  write(outgoingKey(userId, place, key), JSON.stringify({ key, text, fileNames, startedAt, underWay }));
}

/** Returns false once the message was removed, perhaps by another tab that has sent or discarded it. */
export function isOutgoingKept(userId: number, place: Place, key: string): boolean {
  return read(outgoingKey(userId, place, key)) !== null;
}

/** Removes an outgoing message that has arrived or was discarded. */
export function forgetOutgoing(userId: number, place: Place, key: string): void {
  write(outgoingKey(userId, place, key), null);
}

function outgoingKey(userId: number, place: Place, key: string): string {
  return `${PREFIX}.${userId}.${place}.outgoing.${key}`;
}

/** Removes every draft from this device at sign-out, because the next person must not read them. */
export function clearDrafts(): void {
  for (const key of storedKeys(PREFIX)) write(key, null);
}

/** Counts the unsent messages and unsaved requests that signing out would delete (PAGE-6). */
export function countDrafts(userId: number): { messages: number; requests: number } {
  const start = `${PREFIX}.${userId}.`;
  const places = storedKeys(start).map((key) => key.slice(start.length));
  const requests = places.filter((place) => place.startsWith('request-'));
  // The subject and the attempt of a new message do not count separately.
  const messages = places.filter((place) => !place.startsWith('request-') && !place.startsWith('new-'));
  return { messages: messages.length, requests: requests.length };
}

function storedKeys(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}

function readJson(key: string): unknown {
  try {
    return JSON.parse(read(key) ?? 'null');
  } catch {
    return null;
  }
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage is full or switched off, so the text exists only on the page.
  }
}

function isOutgoing(value: unknown): value is Omit<Outgoing, 'underWay'> & { underWay?: unknown } {
  if (typeof value !== 'object' || value === null) return false;
  const { key, text, fileNames, startedAt } = value as Record<string, unknown>;
  const areTexts = [key, text, startedAt].every((part) => typeof part === 'string');
  return areTexts && Array.isArray(fileNames);
}
