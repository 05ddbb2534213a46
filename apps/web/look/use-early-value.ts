import 'client-only';
import { type RefObject, useEffect, useEffectEvent } from 'react';

type FieldElement = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Picks up what was typed into a field before hydration: React does not know of it, and the next render would overwrite it.
 * `known` is the value of the first render.
 */
export function useEarlyValue(field: RefObject<FieldElement | null>, known: string, apply: (value: string) => void) {
  const look = useEffectEvent(() => {
    const value = field.current?.value ?? known;
    if (value !== known) apply(value);
  });
  useEffect(() => look(), []);
}
