'use client';

import { moneyWords } from '@case-platform/words/money';
import { Check, MessageCircleQuestionMark, X } from 'lucide-react';
import type { Disbursement } from '../../api/api-shapes.ts';

interface Props {
  disbursement: Disbursement;
  busy: boolean;
  onPress: (answer: 'approve' | 'deny' | 'ask') => void;
}

/** The three answers to a request. A payment that something stops can only be denied or asked about. */
export function DecisionButtons({ disbursement, busy, onPress }: Props) {
  const { amount_cents, payee, not_payable: stopped } = disbursement;
  return (
    <div className="mt-3 grid max-w-sm grid-cols-2 gap-2">
      <button
        type="button"
        className="btn btn-primary col-span-2"
        disabled={stopped !== null}
        // Unlike `disabled`, this keeps the focus on the button.
        aria-disabled={busy}
        data-busy={busy}
        onClick={() => busy || onPress('approve')}
      >
        <Check size={18} aria-hidden="true" />
        Approve {moneyWords(amount_cents)}
      </button>
      <button type="button" className="btn" disabled={busy} onClick={() => onPress('ask')}>
        <MessageCircleQuestionMark size={18} aria-hidden="true" />
        Ask {payee.name.split(' ')[0]}
      </button>
      <button type="button" className="btn" disabled={busy} onClick={() => onPress('deny')}>
        <X size={18} aria-hidden="true" />
        Deny
      </button>
    </div>
  );
}
