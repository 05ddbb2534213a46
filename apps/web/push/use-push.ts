import 'client-only';
import { useEffect, useState } from 'react';
import { errorMessage } from '../api/api-error.ts';
import { type PushState, readPushState, turnPushOff, turnPushOn } from './push-device.ts';
import { onOwnerChange } from './push-owner.ts';

/** The state of notifications in this browser, with the actions on it. `state` is null until the browser has answered. */
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
    const unsubscribe = onOwnerChange(read);
    // People change the permission in the browser's settings, outside this page.
    window.addEventListener('focus', read);
    return () => {
      current = false;
      unsubscribe();
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
