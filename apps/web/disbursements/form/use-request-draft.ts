import 'client-only';
import { useRef, useState } from 'react';
import { type Attempt, asAttempt, keepDraft, readDraft } from '../../messages/compose/drafts.ts';
import type { DisbursementFields } from './save-disbursement.ts';

interface Place {
  userId: number;
  /** Which form it is: one for each case, scheduled payment and draft. */
  place: `request-${string}`;
  /** What the form begins with. */
  values: DisbursementFields;
}

/**
 * Keeps what is typed into the form of a request on this device, as unsent messages are kept: over a reload, going back, being
 * offline, and a session that ends. The server does not know it, so that it is listed after the first render.
 */
export function useRequestDraft({ userId, place, values }: Place) {
  const [isKept, setKept] = useState(false);
  // What is asked for where storage is switched off.
  const last = useRef<Attempt | null>(null);
  const write = (fields: object, attempt: Attempt | null) => {
    const kept = attempt === null ? fields : { ...fields, attempt };
    keepDraft(userId, place, Object.keys(kept).length === 0 ? '' : JSON.stringify(kept));
  };
  return {
    isKept,
    list: () => Object.entries(parseKept(readDraft(userId, place)).fields) as [keyof DisbursementFields, string][],
    keep: (typed: DisbursementFields) => {
      const changed = Object.entries(typed).filter(([name, value]) => value !== values[name as keyof typeof values]);
      write(Object.fromEntries(changed), changed.length === 0 ? null : parseKept(readDraft(userId, place)).attempt);
      setKept(changed.length > 0);
    },
    /** The key to save these words with: the same until they are saved, over a reload too, so that they are saved once. */
    attemptKey: (content: string) => {
      const { fields, attempt } = parseKept(readDraft(userId, place));
      const known = attempt ?? last.current;
      last.current = known?.content === content ? known : { key: crypto.randomUUID(), content };
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

interface Kept {
  fields: Partial<DisbursementFields>;
  attempt: Attempt | null;
}

/** A kept form, and what was tried to save it; empty for anything that is not one. */
function parseKept(text: string): Kept {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found !== 'object' || found === null) return NOTHING;
    const kept = found as Record<string, unknown>;
    const fields = Object.fromEntries(
      NAMES.flatMap((name) => (typeof kept[name] === 'string' ? [[name, kept[name]]] : [])),
    );
    return { fields, attempt: asAttempt(kept.attempt) };
  } catch {
    return NOTHING;
  }
}
