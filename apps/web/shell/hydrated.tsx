'use client';

import { useEffect, useLayoutEffect, useState } from 'react';
import { HYDRATED } from './early-taps.ts';

/**
 * Tells the script of early taps (shell/early-taps.ts) that React handles events, in the same step, so that no event is handled
 * twice. Stored taps are repeated one render later, when the page has the early values of its fields (use-early-value.ts).
 */
export function Hydrated() {
  const [hasRendered, setHasRendered] = useState(false);
  useLayoutEffect(() => {
    Object.assign(window, { [HYDRATED]: true });
  }, []);
  useEffect(() => {
    if (hasRendered) dispatchEvent(new Event(HYDRATED));
    else setHasRendered(true);
  }, [hasRendered]);
  return null;
}
