/** Drafts are stored on this device by person and chain until they are sent or the person signs out (OUTBOX-3). */
const PREFIX = 'case-platform.draft';
const ATTEMPT_SUFFIX = '.attempt';

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

/** The place in which a message is written: an existing chain, a new chain, or a new chain about a request. */
export type MessagePlace = number | 'new' | `about-${number}`;

/** The field that a draft belongs to: a message, the subject of a new chain, or the form of a request. */
type Place = MessagePlace | 'new-subject' | `request-${string}`;

/** Returns an empty string if there is no draft. */
export function readDraft(userId: number, place: Place): string {
  return read(`${PREFIX}.${userId}.${place}`) ?? '';
}

/** Joins a draft and the text typed before it was read. If one contains the other, as after a browser's restore, it wins. */
export function joinDrafts(draft: string, typed: string): string {
  if (draft.includes(typed)) return draft;
  return typed.includes(draft) ? typed : `${draft}\n\n${typed}`;
}

/** Stores a draft. An empty text deletes it and its attempt, so that the same text can be sent again. */
export function saveDraft(userId: number, place: Place, text: string): void {
  write(`${PREFIX}.${userId}.${place}`, text === '' ? null : text);
  if (text === '') write(attemptPath(userId, place), null);
}

/** Deletes the draft and the attempt of a message that has left its form, but not a draft that was begun meanwhile. */
export function forgetSent(userId: number, place: MessagePlace, text: string): void {
  write(attemptPath(userId, place), null);
  if (readDraft(userId, place).trim() !== text) return;
  saveDraft(userId, place, '');
  if (place === 'new') saveDraft(userId, 'new-subject', '');
}

/** The last attempt to send a form that was not confirmed: its idempotency key, and the content that was sent with it. */
interface Attempt {
  key: string;
  content: string;
}

/**
 * Returns the idempotency key for sending this content from a form. It stays the same until the content changes or is confirmed,
 * even after a reload, so that a repeated attempt has no second effect (IDEMPOTENCY-1).
 */
export function attemptKey(userId: number, place: Place, content: string): string {
  const last = readJson(attemptPath(userId, place));
  const key = isAttempt(last) && last.content === content ? last.key : crypto.randomUUID();
  keepAttempt(userId, place, { key, content });
  return key;
}

/** Stores an attempt beside its draft. */
export function keepAttempt(userId: number, place: Place, attempt: Attempt): void {
  write(attemptPath(userId, place), JSON.stringify(attempt));
}

function attemptPath(userId: number, place: Place): string {
  return `${PREFIX}.${userId}.${place}${ATTEMPT_SUFFIX}`;
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
  // An attempt and the subject of a new message belong to a draft and do not count separately.
  const places = storedKeys(start).flatMap((key) => (key.endsWith(ATTEMPT_SUFFIX) ? [] : key.slice(start.length)));
  const requests = places.filter((place) => place.startsWith('request-'));
  const messages = places.filter((place) => !place.startsWith('request-') && place !== 'new-subject');
  return { messages: messages.length, requests: requests.length };
}

/** Values that could not be stored because storage is full or switched off. They last as long as the document. */
const unstored = new Map<string, string>();

function storedKeys(prefix: string): string[] {
  const keys = new Set(unstored.keys());
  try {
    for (const key of Object.keys(localStorage)) keys.add(key);
  } catch {
    // Storage is switched off.
  }
  return [...keys].filter((key) => key.startsWith(prefix));
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
    return unstored.get(key) ?? localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string | null): void {
  unstored.delete(key);
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    if (value !== null) unstored.set(key, value);
  }
}

function isAttempt(value: unknown): value is Attempt {
  if (typeof value !== 'object' || value === null) return false;
  const { key, content } = value as Record<string, unknown>;
  return typeof key === 'string' && typeof content === 'string';
}

function isOutgoing(value: unknown): value is Omit<Outgoing, 'underWay'> & { underWay?: unknown } {
  if (typeof value !== 'object' || value === null) return false;
  const { key, text, fileNames, startedAt } = value as Record<string, unknown>;
  const areTexts = [key, text, startedAt].every((part) => typeof part === 'string');
  return areTexts && Array.isArray(fileNames);
}
