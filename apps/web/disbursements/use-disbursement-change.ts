'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useState, useTransition } from 'react';
import { apiBrowser } from '../api/api-browser.ts';
import { ApiError, errorMessage } from '../api/api-error.ts';
import type { Disbursement, SeenDisbursement } from '../api/api-shapes.ts';
import { expectRefresh } from '../messages/live/case-changes.ts';
import { isReadable } from './disbursement-words.ts';

interface Change {
  method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  body?: object;
}

/**
 * Changes one disbursement, and has the page drawn again: also when somebody else was quicker, so that the reader sees what
 * has become of it. One change at a time.
 * @param isListed whether it stands in a list, which it may leave when the page is drawn, and the words about it with it.
 */
export function useDisbursementChange(id: number, { isListed = false } = {}) {
  const router = useRouter();
  const [drawing, startDrawing] = useTransition();
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  /** The current disbursement, if the decision was about an earlier version. */
  const [current, setCurrent] = useState<Disbursement | null>(null);

  const busy = sending || drawing;
  // Drawn once, also when the event about the change comes before the answer.
  useEffect(() => (busy ? expectRefresh() : undefined), [busy]);

  /** @returns whether it worked. */
  const change = async (part: '' | `/${string}`, { method = 'POST', body = {} }: Change = {}): Promise<boolean> => {
    if (sending) return false;
    setSending(true);
    setProblem(null);
    setCurrent(null);
    try {
      await apiBrowser<Disbursement>(`/api/disbursements/${id}${part}`, { method, body });
      startDrawing(() => router.refresh());
      return true;
    } catch (error) {
      setProblem(errorMessage(error));
      if (!(error instanceof ApiError)) return false;
      const isChanged = error.code === 'changed';
      // The API sends the current disbursement with this refusal.
      const now = error.current as SeenDisbursement | undefined;
      if (isChanged && now !== undefined && isReadable(now)) setCurrent(now);
      if (isChanged || (error.status === 409 && !isListed)) startDrawing(() => router.refresh());
      return false;
    } finally {
      setSending(false);
    }
  };
  return { change, busy, problem, current };
}
