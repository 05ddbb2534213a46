'use client';

import { readDollars } from '@case-platform/words/money';
import { useRef } from 'react';
import { apiBrowser } from '../../api/api-browser.ts';
import type { Disbursement } from '../../api/api-shapes.ts';

interface Target {
  caseId: number;
  draft?: Pick<Disbursement, 'id'>;
  scheduledPaymentId?: number | undefined;
}

/** What is typed into the form. */
export interface DisbursementFields {
  amount: string;
  category: string;
  description: string;
  /** `user_type:user_id`. */
  payee: string;
}

/** Saves a draft. Pressing twice, or again after a lost answer, creates only one disbursement. */
export function useSaveDisbursement({ caseId, draft, scheduledPaymentId }: Target) {
  const sent = useRef<{ words: string; key: string } | null>(null);
  return (fields: DisbursementFields): Promise<Disbursement> => {
    const body = {
      ...bodyOf(fields),
      ...(scheduledPaymentId === undefined ? {} : { scheduled_payment_id: scheduledPaymentId }),
    };
    if (draft !== undefined) {
      return apiBrowser<Disbursement>(`/api/disbursements/${draft.id}`, { method: 'PATCH', body: bodyOf(fields) });
    }
    const words = JSON.stringify([caseId, body]);
    if (sent.current?.words !== words) sent.current = { words, key: crypto.randomUUID() };
    return apiBrowser<Disbursement>(`/api/cases/${caseId}/disbursements`, {
      method: 'POST',
      body,
      idempotencyKey: sent.current.key,
    });
  };
}

function bodyOf({ amount, category, description, payee }: DisbursementFields) {
  const [user_type, user_id] = payee.split(':');
  return { amount_cents: readDollars(amount), category, description, payee: { user_type, user_id: Number(user_id) } };
}
