'use client';

import { moneyWords } from '@case-platform/words/money';
import { accountChangeWords, firstNameOf } from '@case-platform/words/payee-account';
import { Check, MessageCircleQuestionMark, OctagonAlert, X } from 'lucide-react';
import type { Disbursement } from '../../api/api-shapes.ts';
import { useClock } from '../../look/clock.tsx';

export type Answer = 'approve' | 'deny' | 'ask' | 'alarm';

interface Props {
  disbursement: Disbursement;
  busy: boolean;
  onPress: (answer: Answer) => void;
}

/**
 * The answers to a request. A payment that something stops can only be denied or asked about. After a change of the payee's
 * account, the reader can stop all payments to the payee (BANK-10).
 */
export function DecisionButtons({ disbursement, busy, onPress }: Props) {
  const { amount_cents, payee, payee_account, not_payable: problem, alarm } = disbursement;
  const isChanged = accountChangeWords(payee.name, payee_account, useClock()) !== null;
  return (
    <div className="mt-3 grid max-w-sm grid-cols-2 gap-2">
      <button
        type="button"
        className="btn btn-primary col-span-2"
        disabled={problem !== null}
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
        Ask {firstNameOf(payee.name)}
      </button>
      <button type="button" className="btn" disabled={busy} onClick={() => onPress('deny')}>
        <X size={18} aria-hidden="true" />
        Deny
      </button>
      {isChanged && alarm === null && (
        <button type="button" className="btn col-span-2" disabled={busy} onClick={() => onPress('alarm')}>
          <OctagonAlert size={18} aria-hidden="true" />I don’t trust this
        </button>
      )}
    </div>
  );
}
