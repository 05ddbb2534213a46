import 'client-only';
import { useEffect, useState } from 'react';
import { errorMessage } from '../api/api-error.ts';
import { type PushState, readPushState, turnPushOff, turnPushOn } from './push-device.ts';
import { onOwnerChange } from './push-owner.ts';

/** Notifications in this browser, and the two things one can do about them. `state` is null until the browser has said. */
export function usePush(userId: number) {
  const [state, setState] = useState<PushState | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    let current = true;
    const read = async () => {
      const next = await readPushState(userId).catch(() => 'off' as const);
      if (current) setState(next);
    };
    void read();
    const forget = onOwnerChange(read);
    // Permission is given back in the browser's own settings, outside this page.
    window.addEventListener('focus', read);
    return () => {
      current = false;
      forget();
      window.removeEventListener('focus', read);
    };
  }, [userId]);

  const run = async (work: () => Promise<PushState>) => {
    setBusy(true);
    setProblem(null);
    try {
      setState(await work());
    } catch (error) {
      setProblem(errorMessage(error));
    } finally {
      setBusy(false);
    }
  };
  return {
    state,
    busy,
    problem,
    turnOn: () => run(() => turnPushOn(userId)),
    turnOff: () => run(() => turnPushOff().then(() => 'off' as const)),
  };
}
