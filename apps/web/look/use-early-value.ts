import 'client-only';
import { type RefObject, useEffect, useEffectEvent } from 'react';

type FieldElement = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Takes over what was entered into a field before the page's scripts were there: the field shows it, but React does not
 * know of it, and the next change of the page would wipe it out. `known` is what the first render has put there.
 */
export function useEarlyValue(field: RefObject<FieldElement | null>, known: string, apply: (value: string) => void) {
  const look = useEffectEvent(() => {
    const value = field.current?.value ?? known;
    if (value !== known) apply(value);
  });
  useEffect(() => look(), []);
}
