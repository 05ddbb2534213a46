'use client';

import { DESCRIPTION_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { Check, X } from 'lucide-react';
import { useId, useState } from 'react';
import type { Disbursement } from '../api/api-shapes.ts';
import { ConfirmDialog } from '../look/confirm-dialog.tsx';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';
import { useDisbursementChange } from './use-disbursement-change.ts';
import { whatChanged } from './what-changed.ts';

interface Props {
  disbursement: Disbursement;
  /** Without words of its own, where everything about the request stands right above. */
  plain?: boolean;
}

/** Approve, or deny with a reason. Each asks for confirmation and says what happens next. */
export function DisbursementDecision({ disbursement, plain = false }: Props) {
  const id = useId();
  const [asking, setAsking] = useState<'approve' | 'deny' | null>(null);
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const { change, busy, problem, current } = useDisbursementChange(disbursement.id);
  // What the person saw when pressing the button: the page may have refreshed since.
  const [seen, setSeen] = useState(disbursement);
  // An open confirmation keeps showing the version it was opened with.
  const shown = asking === null ? disbursement : seen;
  const amount = moneyWords(shown.amount_cents);
  const payee = shown.payee.name;

  const ask = (what: 'approve' | 'deny') => {
    setSeen(disbursement);
    setAsking(what);
  };
  const approve = async () => {
    await change('/approve', { body: { version: seen.version } });
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
      <p className="mt-3 flex flex-wrap gap-2">
        <button type="button" className="btn btn-primary" disabled={busy} onClick={() => ask('approve')}>
          <Check size={18} aria-hidden="true" />
          Approve {amount}
        </button>
        <button type="button" className="btn" disabled={busy} onClick={() => ask('deny')}>
          <X size={18} aria-hidden="true" />
          Deny
        </button>
      </p>
      {problem !== null && (
        <p className="field-error mt-3" role="alert">
          {problem}
        </p>
      )}
      {current !== null && (
        <ul className="mt-2 list-disc pl-5">
          {whatChanged(seen, current).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {asking === 'approve' && (
        <ConfirmDialog
          title={`Approve ${amount}?`}
          action={`Approve ${amount}`}
          keep="Not yet"
          isLoss={false}
          busy={busy}
          onConfirm={approve}
          onClose={() => setAsking(null)}
        >
          <p>
            {amount} of the case is set aside for {payee} and goes to the bank with the next batch of payments. The
            surrogate and the parents are told.
          </p>
        </ConfirmDialog>
      )}
      {asking === 'deny' && (
        <ConfirmDialog
          title={`Deny ${amount} for ${payee}?`}
          action="Deny the request"
          keep="Not yet"
          busy={busy}
          onConfirm={deny}
          onClose={() => setAsking(null)}
        >
          <p className="mb-4">
            Nothing is paid. {disbursement.submitted_by.name} and the escrow specialist read your reason.
          </p>
          <Field
            id={`${id}-reason`}
            label="Reason"
            error={missing ? 'Say why, so that they know what to do.' : undefined}
          >
            <textarea
              id={`${id}-reason`}
              className="textarea w-full text-base-content"
              rows={3}
              maxLength={DESCRIPTION_MAX}
              value={reason}
              aria-invalid={missing}
              aria-describedby={missing ? `${id}-reason-error` : undefined}
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
        </ConfirmDialog>
      )}
    </>
  );
  if (plain) return decision;
  return (
    <Notice kind="waiting" title="This request waits for your decision" className="mb-6">
      <p>Look at the amount, the payee and the receipts. Approved money is set aside for {payee}.</p>
      {decision}
    </Notice>
  );
}
