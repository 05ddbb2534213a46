/** Unsent words, kept on this device per person and chain until they are sent or the person signs out. */
const PREFIX = 'case-platform.draft';

/** A message that was on its way when the page went away. */
export interface Outgoing {
  key: string;
  text: string;
  /** Files cannot be kept over a reload; their names can. */
  fileNames: string[];
  startedAt: string;
  /** Whether it is still to be sent without being asked again; not after it has failed or was cancelled. */
  underWay: boolean;
}

/** A chain, the message of a new one, its subject, the last attempt to send that, or the form of a request. */
type Place = number | 'new' | 'new-subject' | 'new-attempt' | `request-${string}`;

/** The draft of a chain, or an empty string. */
export function readDraft(userId: number, place: Place): string {
  return read(`${PREFIX}.${userId}.${place}`) ?? '';
}

/** Joins a draft and what was typed before it was read. A browser that restored the draft itself adds nothing. */
export function joinDrafts(draft: string, typed: string): string {
  if (draft.includes(typed)) return draft;
  return typed.includes(draft) ? typed : `${draft}\n\n${typed}`;
}

/** Keeps a draft; an empty one is forgotten, and with a new chain's what was tried to send it: the same words are news then. */
export function keepDraft(userId: number, place: Place, text: string): void {
  write(`${PREFIX}.${userId}.${place}`, text === '' ? null : text);
  if (place === 'new' && text === '') write(`${PREFIX}.${userId}.new-attempt`, null);
}

/** An attempt to start a chain or to save a request: its idempotency key, and what was sent with it. */
export interface Attempt {
  key: string;
  content: string;
}

/** The last attempt that was not confirmed; null if there is none. */
export function readAttempt(userId: number): Attempt | null {
  return asAttempt(readJson(`${PREFIX}.${userId}.new-attempt`));
}

/** What was kept of an attempt; null for anything that is not one. */
export function asAttempt(value: unknown): Attempt | null {
  if (typeof value !== 'object' || value === null || !('key' in value) || !('content' in value)) return null;
  const { key, content } = value;
  return typeof key === 'string' && typeof content === 'string' ? { key, content } : null;
}

/** Messages that were never confirmed as sent, in sending order. */
export function readOutgoing(userId: number, place: Place): Outgoing[] {
  const found = storedKeys(outgoingKey(userId, place, '')).map((key) => readJson(key));
  return found
    .filter(isOutgoing)
    .map((outgoing) => ({ ...outgoing, underWay: outgoing.underWay === true }))
    .sort((one, other) => one.startedAt.localeCompare(other.startedAt));
}

/** The chains for which this device keeps messages that were never confirmed as sent. */
export function chainsWithOutgoing(userId: number): number[] {
  const start = `${PREFIX}.${userId}.`;
  const places = storedKeys(start).map((key) => /^(\d+)\.outgoing\./.exec(key.slice(start.length))?.[1]);
  return [...new Set(places.filter((place) => place !== undefined).map(Number))];
}

/** Keeps an outgoing message under its own key: another tab of the same chain keeps its own. */
export function keepOutgoing(userId: number, place: Place, outgoing: Outgoing): void {
  const { key, text, fileNames, startedAt, underWay } = outgoing;
  write(outgoingKey(userId, place, key), JSON.stringify({ key, text, fileNames, startedAt, underWay }));
}

/** Whether an outgoing message is still kept: another tab may have sent or discarded it. */
export function isOutgoingKept(userId: number, place: Place, key: string): boolean {
  return read(outgoingKey(userId, place, key)) !== null;
}

/** Forgets an outgoing message that has arrived or was discarded. */
export function forgetOutgoing(userId: number, place: Place, key: string): void {
  write(outgoingKey(userId, place, key), null);
}

function outgoingKey(userId: number, place: Place, key: string): string {
  return `${PREFIX}.${userId}.${place}.outgoing.${key}`;
}

/** Forgets every draft on this device: someone signs out, and the next person must not read them. */
export function clearDrafts(): void {
  for (const key of storedKeys(PREFIX)) write(key, null);
}

/** What signing out would take away from somebody: messages that were not sent, and forms of requests that were not saved. */
export function countDrafts(userId: number): { messages: number; requests: number } {
  const start = `${PREFIX}.${userId}.`;
  const places = storedKeys(start).map((key) => key.slice(start.length));
  const requests = places.filter((place) => place.startsWith('request-'));
  // The subject of a new message is no message of its own, nor is what was tried to send it.
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
    // Storage is full or switched off: the words stay on the screen at least.
  }
}

function isOutgoing(value: unknown): value is Omit<Outgoing, 'underWay'> & { underWay?: unknown } {
  if (typeof value !== 'object' || value === null) return false;
  const { key, text, fileNames, startedAt } = value as Record<string, unknown>;
  const areTexts = [key, text, startedAt].every((part) => typeof part === 'string');
  return areTexts && Array.isArray(fileNames);
}
