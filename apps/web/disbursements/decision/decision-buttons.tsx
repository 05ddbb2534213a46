'use client';

import { moneyWords } from '@case-platform/words/money';
import { Check, MessageCircleQuestionMark, X } from 'lucide-react';
import type { Disbursement } from '../../api/api-shapes.ts';
import { Link } from '../../look/link.tsx';
import type { Me } from '../../session/session-shapes.ts';

interface Props {
  disbursement: Disbursement;
  me: Me;
  busy: boolean;
  onPress: (action: 'approve' | 'deny') => void;
}

/** The three answers to a request. A payment that something stops can only be denied or asked about. */
export function DecisionButtons({ disbursement, me, busy, onPress }: Props) {
  const { amount_cents, not_payable: stopped } = disbursement;
  return (
    <p className="mt-3 flex flex-wrap gap-2">
      <button
        type="button"
        className="btn btn-primary"
        disabled={stopped !== null}
        // Unlike `disabled`, this keeps the focus on the button.
        aria-disabled={busy}
        data-busy={busy}
        onClick={() => busy || onPress('approve')}
      >
        <Check size={18} aria-hidden="true" />
        Approve {moneyWords(amount_cents)}
      </button>
      <Ask disbursement={disbursement} me={me} />
      <button type="button" className="btn" disabled={busy} onClick={() => onPress('deny')}>
        <X size={18} aria-hidden="true" />
        Deny
      </button>
    </p>
  );
}

function Ask({ disbursement: { id, chain_id, submitted_by }, me }: Pick<Props, 'disbursement' | 'me'>) {
  const href = chain_id === null ? `/disbursements/${id}#conversation` : `/messages/${chain_id}`;
  const whom = submitted_by.user_id === me.id ? 'a question' : submitted_by.name.split(' ')[0];
  return (
    <Link className="btn" href={href}>
      <MessageCircleQuestionMark size={18} aria-hidden="true" />
      Ask {whom}
    </Link>
  );
}
