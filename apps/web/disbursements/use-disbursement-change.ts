'use client';

import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { apiBrowser } from '../api/api-browser.ts';
import { ApiError, errorMessage } from '../api/api-error.ts';
import type { Disbursement, SeenDisbursement } from '../api/api-shapes.ts';
import { isReadable } from './disbursement-words.ts';

interface Change {
  method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  body?: object;
}

/**
 * Makes one change at a time to a disbursement and refreshes the page. It also refreshes when another person was faster, so
 * that the reader sees the current state.
 * @param isListed true in a list. A refresh may remove the disbursement from it, together with the message about it, so other
 * conflicts than `changed` do not refresh.
 */
export function useDisbursementChange(id: number, { isListed = false } = {}) {
  const router = useRouter();
  const [drawing, startDrawing] = useTransition();
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  /** The current disbursement, if the change was about an earlier version (REQUEST-9). */
  const [current, setCurrent] = useState<Disbursement | null>(null);

  /** @returns the request as the API answered, or null if the change was rejected. */
  const change = async (part: '' | `/${string}`, { method = 'POST', body = {} }: Change = {}): Promise<Disbursement | null> => {
    if (sending) return null;
    setSending(true);
    setProblem(null);
    setCurrent(null);
    try {
      const changed = await apiBrowser<Disbursement>(`/api/disbursements/${id}${part}`, {
        method,
        body,
        outlivesPage: true,
      });
      startDrawing(() => router.refresh());
      return changed;
    } catch (error) {
      setProblem(errorMessage(error));
      if (!(error instanceof ApiError)) return null;
      const isChanged = error.code === 'changed';
      // The API sends the current disbursement with a `changed` error.
      const now = error.current as SeenDisbursement | undefined;
      if (isChanged && now !== undefined && isReadable(now)) setCurrent(now);
      if (isChanged || (error.status === 409 && !isListed)) startDrawing(() => router.refresh());
      return null;
    } finally {
      setSending(false);
    }
  };
  return { change, busy: sending || drawing, problem, current };
}
