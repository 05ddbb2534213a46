'use client';

import { noLimitWords, requestBenefitWords } from '@case-platform/words/benefits';
import { notCoveredWords } from '@case-platform/words/coverage';
import { DESCRIPTION_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { accountChangeWords } from '@case-platform/words/payee-account';
import { Check, X } from 'lucide-react';
import { useId, useState } from 'react';
import type { Disbursement } from '../api/api-shapes.ts';
import { useClock } from '../look/clock.tsx';
import { ConfirmDialog } from '../look/confirm-dialog.tsx';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';
import { listChanges } from './list-changes.ts';
import { useDisbursementChange } from './use-disbursement-change.ts';

interface Props {
  disbursement: Disbursement;
  /** Leaves out the introduction, for lists that show the request right above. */
  plain?: boolean;
}

/** Approves the request, or denies it with a reason. Both ask for confirmation and say what happens next. */
export function DisbursementDecision({ disbursement, plain = false }: Props) {
  const id = useId();
  const [asking, setAsking] = useState<'approve' | 'deny' | null>(null);
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const { change, busy, problem, current } = useDisbursementChange(disbursement.id, { isListed: plain });
  // The version that was on screen when the person pressed the button. The page may have refreshed since (REQUEST-9).
  const [seen, setSeen] = useState(disbursement);
  // An open confirmation keeps showing the version it was opened with.
  const shown = asking === null ? disbursement : seen;
  const amount = moneyWords(shown.amount_cents);
  const payee = shown.payee.name;
  const { benefit, not_payable: stopped } = shown;
  const isOver = (benefit?.over_by_cents ?? 0) > 0;

  const ask = (what: 'approve' | 'deny') => {
    setSeen(disbursement);
    setMissing(false);
    setAsking(what);
  };
  const approve = async () => {
    setMissing(isOver && reason.trim() === '');
    if (isOver && reason.trim() === '') return document.getElementById(`${id}-reason`)?.focus();
    const over_by_cents = seen.benefit?.over_by_cents ?? 0;
    const account_seen = seen.payee_account?.version;
    await change('/approve', {
      body: { version: seen.version, over_by_cents, ...(account_seen && { account_seen }), ...(isOver && { reason }) },
    });
    setAsking(null);
  };
  const deny = async () => {
    setMissing(reason.trim() === '');
    if (reason.trim() === '') return document.getElementById(`${id}-reason`)?.focus();
    await change('/deny', { body: { version: seen.version, reason } });
    setAsking(null);
  };

  const decision = (
    <>
      <DecisionNotes disbursement={shown} />
      <Buttons amount={amount} busy={busy} isStopped={stopped !== null} onPress={ask} />
      {problem !== null && (
        <p className="field-error mt-3" role="alert">
          {problem}
        </p>
      )}
      {current !== null && <Changes before={seen} after={current} />}
      {asking === 'approve' && (
        <ApproveDialog
          disbursement={shown}
          reasonId={`${id}-reason`}
          isMissing={missing}
          busy={busy}
          reason={reason}
          setReason={setReason}
          onConfirm={approve}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'deny' && (
        <DenyDialog
          disbursement={shown}
          reasonId={`${id}-reason`}
          isMissing={missing}
          busy={busy}
          reason={reason}
          setReason={setReason}
          onConfirm={deny}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
  if (plain) return decision;
  return (
    <Notice kind="waiting" title="This request is waiting for your decision" className="mb-6">
      <p>Check the amount, the payee and the receipts. If you approve, we set the money aside for {payee}.</p>
      {decision}
    </Notice>
  );
}

/** Facts for the decision: the note of a second submission, the contract limit, and anything that stops the payment. */
function DecisionNotes({ disbursement }: Pick<Props, 'disbursement'>) {
  const { benefit, not_payable: stopped, payee, payee_account } = disbursement;
  const changed = accountChangeWords(payee.name, payee_account, useClock());
  const resent = disbursement.timeline.findLast(({ event }) => event === 'submitted')?.note ?? null;
  const isOver = (benefit?.over_by_cents ?? 0) > 0;
  return (
    <>
      {resent !== null && (
        <p className="mt-2">
          <strong>Sent again.</strong> {resent}
        </p>
      )}
      {changed !== null && (
        <p className="mt-2" suppressHydrationWarning>
          <strong>{changed}</strong>
        </p>
      )}
      {disbursement.covered === false && (
        <p className="over-benefit mt-2">{notCoveredWords({ status: disbursement.status, isStaff: false })}</p>
      )}
      {benefit === null && <p className="over-benefit mt-2">{noLimitWords(disbursement.category)}</p>}
      {benefit !== null && (
        <p className={`mt-2 ${isOver ? 'over-benefit' : 'text-small'}`}>
          {benefit.category}: {requestBenefitWords(benefit)}.
        </p>
      )}
      {stopped !== null && (
        <p className="mt-2">
          {stopped.sentence} You can’t approve this until the escrow specialist resolves it. You can deny it.
        </p>
      )}
    </>
  );
}

interface ButtonsProps {
  amount: string;
  busy: boolean;
  /** Whether something stops the payment, so that the request can only be denied. */
  isStopped: boolean;
  onPress: (action: 'approve' | 'deny') => void;
}

function Buttons({ amount, busy, isStopped, onPress }: ButtonsProps) {
  return (
    <p className="mt-3 flex flex-wrap gap-2">
      <button type="button" className="btn btn-primary" disabled={busy || isStopped} onClick={() => onPress('approve')}>
        <Check size={18} aria-hidden="true" />
        Approve {amount}
      </button>
      <button type="button" className="btn" disabled={busy} onClick={() => onPress('deny')}>
        <X size={18} aria-hidden="true" />
        Deny
      </button>
    </p>
  );
}

function Changes({ before, after }: { before: Disbursement; after: Disbursement }) {
  return (
    <ul className="mt-2 list-disc pl-5">
      {listChanges(before, after).map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

interface DecisionDialogProps extends Pick<ReasonProps, 'reason' | 'setReason'> {
  disbursement: Disbursement;
  reasonId: string;
  /** Whether the person tried to decide without a required reason. */
  isMissing: boolean;
  busy: boolean;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

function ApproveDialog({ disbursement, reasonId, isMissing, reason, setReason, ...dialog }: DecisionDialogProps) {
  const { amount_cents, payee, payee_account, benefit } = disbursement;
  const amount = moneyWords(amount_cents);
  const isOver = (benefit?.over_by_cents ?? 0) > 0;
  const otherAccount = payee_account?.changed_since_approval === true ? payee_account.last_four : null;
  return (
    <ConfirmDialog
      title={otherAccount === null ? `Approve ${amount}?` : `Approve ${amount} for the new account?`}
      action={otherAccount === null ? `Approve ${amount}` : `Approve for …${otherAccount}`}
      doing="Approving…"
      keep="Not yet"
      isLoss={false}
      {...dialog}
    >
      <p className="mb-4">
        We set {amount} aside for {payee.name} and send it to the bank with the next payments. We’ll notify the surrogate and the
        parents.
      </p>
      {otherAccount !== null && (
        <p className="mb-4">
          Did {payee.name} tell you about the new account? If not, call them at a number you know before you approve.
        </p>
      )}
      {isOver && (
        <ReasonField
          id={reasonId}
          label="Why approve more than the contract allows?"
          error={isMissing ? 'Say why. Everyone on the case can read it.' : undefined}
          reason={reason}
          setReason={setReason}
        />
      )}
    </ConfirmDialog>
  );
}

function DenyDialog({ disbursement, reasonId, isMissing, reason, setReason, ...dialog }: DecisionDialogProps) {
  return (
    <ConfirmDialog
      title={`Deny ${moneyWords(disbursement.amount_cents)} for ${disbursement.payee.name}?`}
      action="Deny the request"
      doing="Denying…"
      keep="Not yet"
      {...dialog}
    >
      <p className="mb-4">
        Nothing will be paid. {disbursement.submitted_by.name} and the escrow specialist will read your reason.
      </p>
      <ReasonField
        id={reasonId}
        label="Reason"
        error={isMissing ? 'Say why, so they know what to do next.' : undefined}
        reason={reason}
        setReason={setReason}
      />
    </ConfirmDialog>
  );
}

interface ReasonProps {
  id: string;
  label: string;
  error: string | undefined;
  reason: string;
  setReason: (reason: string) => void;
}

function ReasonField({ id, label, error, reason, setReason }: ReasonProps) {
  return (
    <Field id={id} label={label} error={error}>
      <textarea
        id={id}
        dir="auto"
        className="textarea w-full text-base-content"
        rows={3}
        maxLength={DESCRIPTION_MAX}
        value={reason}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onChange={(event) => setReason(event.target.value)}
      />
    </Field>
  );
}
