'use client';

import { useEffect, useLayoutEffect, useState } from 'react';
import { HYDRATED } from './early-taps.ts';

/**
 * Tells the script that keeps early taps (shell/early-taps.ts) when React listens to the page: in the same step, so that nothing
 * is answered by both. What was kept is done one drawing later, when the page knows what was typed before (use-early-value.ts).
 */
export function Hydrated() {
  const [isKnown, setKnown] = useState(false);
  useLayoutEffect(() => {
    Object.assign(window, { [HYDRATED]: true });
  }, []);
  useEffect(() => {
    if (isKnown) dispatchEvent(new Event(HYDRATED));
    else setKnown(true);
  }, [isKnown]);
  return null;
}
