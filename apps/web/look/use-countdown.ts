import { useEffect, useState } from 'react';

/** Counts down by the clock, not by ticks, so that a background tab does not fall behind. In seconds. */
export function useCountdown(seconds: number): [left: number, restart: (seconds: number) => void] {
  const [secondsLeft, setSecondsLeft] = useState(seconds);
  const [until, setUntil] = useState<number | null>(null);
  useEffect(() => {
    const end = until ?? Date.now() + seconds * 1000;
    const tick = () => {
      const now = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      setSecondsLeft(now);
      if (now === 0) clearInterval(timer);
    };
    const timer = setInterval(tick, 500);
    return () => clearInterval(timer);
  }, [until, seconds]);
  const restart = (again: number) => {
    setSecondsLeft(again);
    setUntil(Date.now() + again * 1000);
  };
  return [secondsLeft, restart];
}
