/** Unsent words, kept on this device per person and chain until they are sent or the person signs out. */
const PREFIX = 'case-platform.draft';

/** A message that was on its way when the page went away. */
export interface Outgoing {
  key: string;
  text: string;
  /** Files cannot be kept over a reload; their names can. */
  fileNames: string[];
  startedAt: string;
}

/** A chain, the message of a new one, or its subject. */
type Place = number | 'new' | 'new-subject';

/** The draft of a chain, or an empty string. */
export function readDraft(userId: number, place: Place): string {
  return read(`${PREFIX}.${userId}.${place}`) ?? '';
}

/** A draft and what was typed beside it. A browser that has put the draft back by itself, whole or in part, adds nothing. */
export function joinDrafts(draft: string, typed: string): string {
  if (draft.includes(typed)) return draft;
  return typed.includes(draft) ? typed : `${draft}\n\n${typed}`;
}

/** Keeps a draft; an empty one is forgotten. */
export function keepDraft(userId: number, place: Place, text: string): void {
  write(`${PREFIX}.${userId}.${place}`, text === '' ? null : text);
}

/** Messages whose sending never came to an end. */
export function readOutgoing(userId: number, place: Place): Outgoing[] {
  try {
    const list: unknown = JSON.parse(read(`${PREFIX}.${userId}.${place}.outgoing`) ?? '[]');
    return Array.isArray(list) ? list.filter(isOutgoing) : [];
  } catch {
    return [];
  }
}

/** Keeps the messages that are on their way. */
export function keepOutgoing(userId: number, place: Place, list: readonly Outgoing[]): void {
  write(`${PREFIX}.${userId}.${place}.outgoing`, list.length === 0 ? null : JSON.stringify(list));
}

/** Forgets every draft on this device: someone signs out, and the next person must not read them. */
export function clearDrafts(): void {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    for (const key of keys) localStorage.removeItem(key);
  } catch {
    // Nothing was kept.
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

function isOutgoing(value: unknown): value is Outgoing {
  return typeof value === 'object' && value !== null && 'key' in value && 'text' in value && 'fileNames' in value;
}
