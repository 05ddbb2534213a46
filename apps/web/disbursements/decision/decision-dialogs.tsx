'use client';

import { DESCRIPTION_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import type { Disbursement } from '../../api/api-shapes.ts';
import { ConfirmDialog } from '../../look/confirm-dialog.tsx';
import { MoneyDay } from '../../look/due-day.tsx';
import { TextAreaField } from '../../look/field.tsx';
import { conditionWords } from '../disbursement-words.ts';

interface DecisionDialogProps {
  disbursement: Disbursement;
  reasonId: string;
  /** Whether the person tried to decide without a required reason. */
  isMissing: boolean;
  reason: string;
  setReason: (reason: string) => void;
  busy: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Confirms an approval over the contract limit, or for another account than before. */
export function ApproveDialog({ disbursement, reasonId, isMissing, reason, setReason, ...dialog }: DecisionDialogProps) {
  const { amount_cents, approver, payee, payee_account, benefit, whereabouts } = disbursement;
  const amount = moneyWords(amount_cents);
  const { arrives } = whereabouts;
  // Staff decide in the place of the approver whom the condition names.
  const decider = { id: approver?.user_id ?? 0 };
  const isOver = (benefit?.over_by_cents ?? 0) > 0;
  const otherAccount = payee_account?.changed_since_approval === true ? payee_account.last_four : null;
  return (
    <ConfirmDialog
      title={otherAccount === null ? `Approve ${amount}?` : `Approve ${amount} for the new account?`}
      action={otherAccount === null ? `Approve ${amount}` : `Approve for …${otherAccount}`}
      doing="Approving…"
      keep="Cancel"
      isLoss={false}
      {...dialog}
    >
      <p className="mb-4">
        We set {amount} aside for {payee.name}.{' '}
        {arrives !== null && (
          <>
            It would arrive <MoneyDay day={arrives.date} />, if {conditionWords(disbursement, decider)}.{' '}
          </>
        )}
        We’ll notify the surrogate and the parents.
      </p>
      {otherAccount !== null && (
        <p className="mb-4">
          Did {payee.name} tell you about the new account? If not, call them at a number you know before you approve.
        </p>
      )}
      {isOver && (
        <TextAreaField
          id={reasonId}
          label="Why approve more than the contract allows?"
          error={isMissing ? 'Say why. Everyone on the case can read it.' : undefined}
          maxLength={DESCRIPTION_MAX}
          value={reason}
          onChange={setReason}
        />
      )}
    </ConfirmDialog>
  );
}

export function DenyDialog({ disbursement, reasonId, isMissing, reason, setReason, ...dialog }: DecisionDialogProps) {
  return (
    <ConfirmDialog
      title={`Deny ${moneyWords(disbursement.amount_cents)} for ${disbursement.payee.name}?`}
      action="Deny the request"
      doing="Denying…"
      keep="Cancel"
      {...dialog}
    >
      <p className="mb-4">
        Nothing will be paid. {disbursement.submitted_by.name} and the escrow specialist will read your reason.
      </p>
      <TextAreaField
        id={reasonId}
        label="Reason"
        error={isMissing ? 'Say why, so they know what to do next.' : undefined}
        maxLength={DESCRIPTION_MAX}
        value={reason}
        onChange={setReason}
      />
    </ConfirmDialog>
  );
}
