import 'client-only';
import { useState } from 'react';
import { attemptKey, readDraft, saveDraft } from '../../drafts/drafts.ts';
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
  return {
    isKept,
    list: () => Object.entries(parseFields(readDraft(userId, place))) as [keyof DisbursementFields, string][],
    keep: (typed: DisbursementFields) => {
      const edits = Object.entries(typed).filter(([name, value]) => value !== values[name as keyof typeof values]);
      saveDraft(userId, place, edits.length === 0 ? '' : JSON.stringify(Object.fromEntries(edits)));
      setKept(edits.length > 0);
    },
    attemptKey: (content: string) => attemptKey(userId, place, content),
    forget: () => saveDraft(userId, place, ''),
  };
}

const NAMES = ['amount', 'category', 'description', 'payee'] as const;

/** Parses the fields of a stored form; returns none for any other text. */
function parseFields(text: string): Partial<DisbursementFields> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return {};
    const form = value as Record<string, unknown>;
    return Object.fromEntries(NAMES.flatMap((name) => (typeof form[name] === 'string' ? [[name, form[name]]] : [])));
  } catch {
    return {};
  }
}
