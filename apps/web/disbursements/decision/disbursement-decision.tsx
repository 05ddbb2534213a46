'use client';

import { useRouter } from 'next/navigation';
import { useId, useState } from 'react';
import type { Disbursement } from '../../api/api-shapes.ts';
import { lazyDialog } from '../../look/lazy-dialog.tsx';
import { useDisbursementChange } from '../use-disbursement-change.ts';
import { type Answer, DecisionButtons } from './decision-buttons.tsx';
import { DecisionNotes } from './decision-notes.tsx';
import { listChanges } from './list-changes.ts';
import type { Outcome } from './outcome-words.ts';

interface Props {
  disbursement: Disbursement;
  /** True in a list, where a refresh removes the request together with the message about it. */
  isListed?: boolean;
  /** True right after a decision, when a tap may be the second one of a double tap. */
  ignoresTaps?: () => boolean;
  /** Called once the API has accepted the decision. */
  onDecided: (outcome: Outcome) => void;
}

const ApproveDialog = lazyDialog(async () => (await import('./decision-dialogs.tsx')).ApproveDialog);
const DenyDialog = lazyDialog(async () => (await import('./decision-dialogs.tsx')).DenyDialog);
const AskDialog = lazyDialog(async () => (await import('../account-change-card/question-dialogs.tsx')).AskDialog);
const AlarmDialog = lazyDialog(async () => (await import('../account-change-card/question-dialogs.tsx')).AlarmDialog);

/**
 * Approves the request, denies it with a reason, or asks about it. An approval is sent at once and can be undone for ten seconds
 * (REQUEST-19). Over the contract limit, or for another account than before, it asks for confirmation instead.
 */
export function DisbursementDecision({ disbursement, isListed = false, ignoresTaps, onDecided }: Props) {
  const id = useId();
  const router = useRouter();
  const [asking, setAsking] = useState<Answer | null>(null);
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const { change, busy, problem, current } = useDisbursementChange(disbursement.id, { isListed });
  // The version that was on screen when the person pressed the button. The page may have refreshed since (REQUEST-9).
  const [seen, setSeen] = useState(disbursement);
  // An open confirmation keeps showing the version it was opened with.
  const shown = asking === null ? disbursement : seen;

  const decide = async (kind: Outcome['kind'], path: '/approve' | '/deny', body: object, canUndo = false) => {
    const request = await change(path, { body });
    setAsking(null);
    if (request !== null) onDecided({ kind, request, canUndo });
  };
  const approve = (request: Disbursement) => {
    const isOver = (request.benefit?.over_by_cents ?? 0) > 0;
    const undoable = !needsConfirmation(request);
    const account_seen = request.payee_account?.version;
    const over_by_cents = request.benefit?.over_by_cents ?? 0;
    const body = { version: request.version, over_by_cents, undoable };
    return decide(
      'approved',
      '/approve',
      { ...body, ...(account_seen && { account_seen }), ...(isOver && { reason }) },
      undoable,
    );
  };
  const press = (what: Answer) => {
    if (ignoresTaps?.() === true) return;
    setSeen(disbursement);
    setMissing(false);
    if (what === 'approve' && !needsConfirmation(disbursement)) return approve(disbursement);
    setAsking(what);
  };
  const confirm = (what: 'approve' | 'deny') => {
    const isMissing = reason.trim() === '' && (what === 'deny' || (seen.benefit?.over_by_cents ?? 0) > 0);
    setMissing(isMissing);
    if (isMissing) return document.getElementById(`${id}-reason`)?.focus();
    return what === 'approve' ? approve(seen) : decide('denied', '/deny', { version: seen.version, reason });
  };
  const Dialog = asking === 'approve' ? ApproveDialog : DenyDialog;
  return (
    <>
      <DecisionNotes disbursement={shown} />
      <DecisionButtons disbursement={shown} busy={busy} onPress={press} />
      {problem !== null && (
        <p className="field-error mt-3" role="alert">
          {problem}
        </p>
      )}
      {current !== null && <Changes before={seen} after={current} />}
      {asking === 'ask' && (
        <AskDialog
          about={shown}
          onAsked={({ chain_id }) => router.push(`/messages/${chain_id}`)}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'alarm' && (
        <AlarmDialog
          about={shown}
          onAsked={() => {
            setAsking(null);
            router.refresh();
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {(asking === 'approve' || asking === 'deny') && (
        <Dialog
          disbursement={shown}
          reasonId={`${id}-reason`}
          isMissing={missing}
          busy={busy}
          reason={reason}
          setReason={setReason}
          onConfirm={() => confirm(asking)}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}

/** Undoing is not offered for what a person has to think about first. */
function needsConfirmation({ benefit, payee_account }: Disbursement): boolean {
  return (benefit?.over_by_cents ?? 0) > 0 || payee_account?.changed_since_approval === true;
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
