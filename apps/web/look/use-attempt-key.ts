import 'client-only';
import { useRef } from 'react';

/**
 * The idempotency key of a form whose text lasts only as long as the form. It is the same for the content that was sent last, so
 * that a repeated attempt has no second effect, also after a change that was undone (IDEMPOTENCY-1).
 */
export function useAttemptKey() {
  const last = useRef<{ key: string; content: string } | null>(null);
  return {
    /** Returns the key for sending this content. */
    keyFor(content: string): string {
      const attempt = last.current?.content === content ? last.current : { key: crypto.randomUUID(), content };
      last.current = attempt;
      return attempt.key;
    },
    /** Forgets an attempt that succeeded, so that the same content can be sent again. */
    forget() {
      last.current = null;
    },
  };
}
