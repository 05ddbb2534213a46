import 'client-only';
import { useState } from 'react';
import { keepDraft, readDraft } from '../../messages/compose/drafts.ts';
import type { DisbursementFields } from './use-save-disbursement.ts';

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
  return {
    isKept,
    list: () => Object.entries(parseFields(readDraft(userId, place))) as [keyof DisbursementFields, string][],
    keep: (typed: DisbursementFields) => {
      const changed = Object.entries(typed).filter(([name, value]) => value !== values[name as keyof typeof values]);
      keepDraft(userId, place, changed.length === 0 ? '' : JSON.stringify(Object.fromEntries(changed)));
      setKept(changed.length > 0);
    },
    forget: () => keepDraft(userId, place, ''),
  };
}

const NAMES = ['amount', 'category', 'description', 'payee'] as const;

/** The fields of a kept draft; none for anything that is not one. */
function parseFields(text: string): Partial<DisbursementFields> {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found !== 'object' || found === null) return {};
    const fields = found as Record<string, unknown>;
    return Object.fromEntries(
      NAMES.flatMap((name) => (typeof fields[name] === 'string' ? [[name, fields[name]]] : [])),
    );
  } catch {
    return {};
  }
}
