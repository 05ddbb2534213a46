'use client';

import { MESSAGE_MAX } from '@case-platform/words/limits';
import { firstNameOf } from '@case-platform/words/payee-account';
import { type ReactNode, useId, useState } from 'react';
import { apiBrowser } from '../../api/api-browser.ts';
import { errorMessage } from '../../api/api-error.ts';
import type { Disbursement } from '../../api/api-shapes.ts';
import { ConfirmDialog } from '../../look/confirm-dialog.tsx';
import { TextAreaField } from '../../look/field.tsx';
import { useAttemptKey } from '../../look/use-attempt-key.ts';

/** The answer to a question or alarm. */
export interface Asked {
  chain_id: number | null;
  stopped: boolean;
}

interface Props {
  about: Pick<Disbursement, 'id' | 'payee'>;
  /** The text that the reader can change before sending. */
  draft?: string;
  onAsked: (question: Asked) => void;
  onClose: () => void;
}

/** Asks the payee in the conversation about the request (BANK-10). */
export function AskDialog({ about, draft = '', ...rest }: Props) {
  const first = firstNameOf(about.payee.name);
  return (
    <QuestionDialog
      about={about}
      draft={draft}
      title={`Ask ${about.payee.name}`}
      label="Your question"
      action="Send question"
      doing="Sending…"
      missing="Write your question."
      isAlarm={false}
      {...rest}
    >
      <p className="mb-4">
        {first} and the escrow specialist read it. The requests keep waiting for you. If someone else may be using {first}’s
        account, call {first} on a number that you know instead.
      </p>
    </QuestionDialog>
  );
}

/** Stops all payments to the payee until the escrow specialist has checked them, and says so before (BANK-10). */
export function AlarmDialog({ about, ...rest }: Props) {
  const { name } = about.payee;
  return (
    <QuestionDialog
      about={about}
      draft=""
      title={`Stop all payments to ${name}?`}
      label="What looks wrong?"
      action="Stop all payments"
      doing="Stopping…"
      missing="Say what looks wrong, so that the escrow specialist can check it."
      isAlarm
      {...rest}
    >
      <p className="mb-2">
        Every payment to {name} that the bank doesn’t have yet stops, including approved ones, until the escrow specialist has
        checked them. Payments that the bank already has can’t be stopped here.
      </p>
      <p className="mb-4">
        Only the escrow specialist reads what you write. {firstNameOf(name)} sees “Our team is checking this payment.” and not
        that it was you.
      </p>
    </QuestionDialog>
  );
}

interface DialogProps extends Required<Props> {
  title: string;
  label: string;
  action: string;
  doing: string;
  missing: string;
  isAlarm: boolean;
  children: ReactNode;
}

function QuestionDialog({
  about,
  draft,
  title,
  label,
  action,
  doing,
  missing,
  isAlarm,
  children,
  onAsked,
  onClose,
}: DialogProps) {
  const id = useId();
  const [text, setText] = useState(draft);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const attempt = useAttemptKey();
  const send = async () => {
    if (text.trim() === '') {
      setProblem(missing);
      return document.getElementById(id)?.focus();
    }
    setBusy(true);
    try {
      const body = { text, ...(isAlarm && { alarm: true }) };
      const result = await apiBrowser<Asked>(`/api/disbursements/${about.id}/question`, {
        method: 'POST',
        body,
        idempotencyKey: attempt.keyFor(text),
      });
      onAsked(result);
    } catch (error) {
      setProblem(errorMessage(error));
      setBusy(false);
    }
  };
  return (
    <ConfirmDialog
      title={title}
      action={action}
      doing={doing}
      keep="Cancel"
      isLoss={isAlarm}
      busy={busy}
      onConfirm={send}
      onClose={onClose}
    >
      {children}
      <TextAreaField id={id} label={label} error={problem} maxLength={MESSAGE_MAX} value={text} onChange={setText} />
    </ConfirmDialog>
  );
}
