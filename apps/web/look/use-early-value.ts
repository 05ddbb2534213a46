import 'client-only';
import { type RefObject, useEffect, useEffectEvent } from 'react';

type FieldElement = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Applies what was typed into a field before hydration (PAGE-4). React does not know about it, and the next render would
 * overwrite it. `rendered` is the value of the first render.
 */
export function useEarlyValue(field: RefObject<FieldElement | null>, rendered: string, apply: (value: string) => void) {
  const look = useEffectEvent(() => {
    const value = field.current?.value ?? rendered;
    if (value !== rendered) apply(value);
  });
  useEffect(() => look(), []);
}
