import 'client-only';
import { useEffect, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { keepDraft, readDraft } from '../../messages/compose/drafts.ts';
import type { DisbursementFields } from './use-save-disbursement.ts';

interface Place {
  userId: number;
  /** Which form it is: one for each case, scheduled payment and draft. */
  place: `request-${string}`;
  /** What the form begins with. */
  values: DisbursementFields;
}

type Form = Pick<UseFormReturn<DisbursementFields>, 'watch' | 'getValues' | 'setValue' | 'reset'>;

/**
 * Keeps what is typed into the form of a request on this device, as unsent messages are kept: over a reload, going back, being
 * offline, and a session that ends. The server does not know it, so that it is read after the first render; a field in which
 * somebody was quicker stays as they typed it.
 */
export function useRequestDraft({ userId, place, values }: Place, { watch, getValues, setValue, reset }: Form) {
  const [isKept, setKept] = useState(false);
  useEffect(() => {
    const kept = parseFields(readDraft(userId, place));
    for (const [name, value] of Object.entries(kept) as [keyof DisbursementFields, string][])
      if (getValues(name) === values[name]) setValue(name, value);
    setKept(Object.keys(kept).length > 0);
    const { unsubscribe } = watch((typed) => {
      const changed = Object.entries(typed).filter(([name, value]) => value !== values[name as keyof typeof values]);
      keepDraft(userId, place, changed.length === 0 ? '' : JSON.stringify(Object.fromEntries(changed)));
      setKept(changed.length > 0);
    });
    return unsubscribe;
  }, [userId, place, values, watch, getValues, setValue]);
  const forget = () => keepDraft(userId, place, '');
  const startOver = () => {
    reset(values);
    forget();
    setKept(false);
  };
  return { isKept, forget, startOver };
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
