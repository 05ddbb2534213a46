import 'client-only';
import { useRef, useState } from 'react';
import { type Attempt, asAttempt, keepDraft, readDraft } from '../../drafts/drafts.ts';
import type { DisbursementFields } from './save-disbursement.ts';

interface Place {
  userId: number;
  /** Identifies the form: one for each case, scheduled payment, and draft. */
  place: `request-${string}`;
  /** The initial values of the form; only fields that differ from them are stored. */
  values: DisbursementFields;
}

/**
 * Stores what is typed into the form of a request on this device, like an unsent message, so that it survives a reload, an
 * outage, and a lost session (PAGE-6). The server cannot render it, so call `list` after the first render.
 */
export function useRequestDraft({ userId, place, values }: Place) {
  const [isKept, setKept] = useState(false);
  // The last attempt, for browsers in which storage is switched off.
  const last = useRef<Attempt | null>(null);
  const write = (fields: object, attempt: Attempt | null) => {
    const form = attempt === null ? fields : { ...fields, attempt };
    keepDraft(userId, place, Object.keys(form).length === 0 ? '' : JSON.stringify(form));
  };
  return {
    isKept,
    list: () => Object.entries(parseStoredForm(readDraft(userId, place)).fields) as [keyof DisbursementFields, string][],
    keep: (typed: DisbursementFields) => {
      const changed = Object.entries(typed).filter(([name, value]) => value !== values[name as keyof typeof values]);
      write(Object.fromEntries(changed), changed.length === 0 ? null : parseStoredForm(readDraft(userId, place)).attempt);
      setKept(changed.length > 0);
    },
    /** Returns the idempotency key for this content. It stays the same until the content is saved, even after a reload. */
    attemptKey: (content: string) => {
      const { fields, attempt } = parseStoredForm(readDraft(userId, place));
      const previous = attempt ?? last.current;
      last.current = previous?.content === content ? previous : { key: crypto.randomUUID(), content };
      write(fields, last.current);
      return last.current.key;
    },
    forget: () => {
      last.current = null;
      keepDraft(userId, place, '');
    },
  };
}

const NOTHING = { fields: {}, attempt: null };
const NAMES = ['amount', 'category', 'description', 'payee'] as const;

interface StoredForm {
  fields: Partial<DisbursementFields>;
  attempt: Attempt | null;
}

/** Parses a stored form and the last attempt to save it; returns an empty form for any other text. */
function parseStoredForm(text: string): StoredForm {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return NOTHING;
    const form = value as Record<string, unknown>;
    const fields = Object.fromEntries(NAMES.flatMap((name) => (typeof form[name] === 'string' ? [[name, form[name]]] : [])));
    return { fields, attempt: asAttempt(form.attempt) };
  } catch {
    return NOTHING;
  }
}
