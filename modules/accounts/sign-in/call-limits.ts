import { type CallCounter, createCallCounter } from '@case-platform/lib/call-counter';
import type { Log } from '@case-platform/lib/log';
import type { Redis } from '@case-platform/lib/redis/open-redis';
import { counted } from '@case-platform/words/counts';
import type pg from 'pg';

/** The limits of RATE-1: calls of an address, calls of a person, and messages of a person, each per minute. */
type CallKind = 'calls_address' | 'calls_person' | 'messages';
export type CallLimits = CallCounter<CallKind>;

interface CallsOptions {
  pool: pg.Pool;
  redis?: Redis | undefined;
  log: Log;
  limits: Record<CallKind, number>;
  now: () => Date;
  waitMs?: number;
}

/** Creates the counter on the table `call_count`, or in Redis. Each process needs one; they share the counts. */
export function createCallLimits({ limits, ...rest }: CallsOptions): CallLimits {
  const tooFast = (seconds: number) => `You’re going faster than we can keep up. Try again in ${counted(seconds, 'second')}.`;
  const { calls_address, calls_person, messages } = limits;
  return createCallCounter<CallKind>({
    ...rest,
    limits: {
      calls_address: { most: calls_address, words: tooFast },
      calls_person: { most: calls_person, words: tooFast },
      messages: {
        most: messages,
        words: (seconds) => `You can send ${messages} messages in a minute. Send the next one in ${counted(seconds, 'second')}.`,
      },
    },
  });
}
