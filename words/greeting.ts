import { type Clock, wallClock } from './days.ts';

export function greetingWords({ zone, now }: Clock): string {
  const hour = Number(wallClock(now, zone).slice(11, 13));
  if (hour >= 5 && hour < 12) return 'Good morning';
  return hour >= 12 && hour < 18 ? 'Good afternoon' : 'Good evening';
}
