'use client';

import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import { type AccountChange, totalOf } from '@case-platform/words/payee-account';
import { sentence } from '@case-platform/words/sentence';
import { useState } from 'react';
import type { Disbursement } from '../../api/api-shapes.ts';
import { ConfirmDialog } from '../../look/confirm-dialog.tsx';
import { type ApprovalResult, approveTogether } from './approve-together.ts';

interface Props {
  change: AccountChange<Disbursement>;
  onApproved: (result: ApprovalResult) => void;
  onClose: () => void;
}

/** Approves the payments that need no closer look, after a confirmation that lists them. */
export function ApproveTogetherDialog({ change: { payee, account, together, payments }, onApproved, onClose }: Props) {
  const [tried, setTried] = useState<number | null>(null);
  // A refresh of the page while they are approved must not change the list.
  const [chosen] = useState(together);
  const [all] = useState(payments.length);
  const what = chosen.length === 1 ? 'this payment' : `${chosen.length} payments`;
  const approve = async () => {
    setTried(0);
    onApproved(await approveTogether(chosen, setTried));
  };
  return (
    <ConfirmDialog
      title={`Approve ${what} for …${account.last_four}?`}
      action={`Approve ${moneyWords(totalOf(chosen))}`}
      doing={`Approving ${Math.min((tried ?? 0) + 1, chosen.length)} of ${chosen.length}…`}
      keep="Cancel"
      isLoss={false}
      busy={tried !== null}
      onConfirm={approve}
      onClose={onClose}
    >
      <p className="mb-3">
        Only approve if {payee.name} told you about the account ending in {account.last_four}, in person or on a number that you
        know. We set the money aside and send it once the account can be used.
      </p>
      <ul className="mb-3">
        {chosen.map(({ id, category, description, amount_cents }) => (
          <li key={id} className="flex items-baseline justify-between gap-4 py-1">
            <span className="min-w-0 wrap-anywhere">
              {description}
              <span className="quiet block">{sentence(category)}</span>
            </span>
            <span className="money flex-none">{moneyWords(amount_cents)}</span>
          </li>
        ))}
      </ul>
      {all > chosen.length && (
        <p className="mb-3">
          {counted(all - chosen.length, 'payment')} not listed here still {all - chosen.length === 1 ? 'waits' : 'wait'} for you.
        </p>
      )}
    </ConfirmDialog>
  );
}
