'use client';

import { moneyWords } from '@case-platform/words/money';
import type { Place } from '@case-platform/words/whereabouts';
import { PencilLine, Send } from 'lucide-react';
import { useState } from 'react';
import type { Disbursement } from '../api/api-shapes.ts';
import { ConfirmDialog } from '../look/confirm-dialog.tsx';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';
import { useDisbursementChange } from './use-disbursement-change.ts';

const TITLES: Partial<Record<Place, string>> = {
  draft: 'This draft hasn’t been sent yet',
  send_again: 'Send this request again',
};

/** Lets the maker of a disbursement submit, edit, or cancel it. */
export function DisbursementDraft({ disbursement }: { disbursement: Disbursement }) {
  const { change, busy, problem } = useDisbursementChange(disbursement.id);
  const { id, status, approver, files, whereabouts } = disbursement;
  const to = approver?.name ?? 'our staff';
  const isDraft = status === 'draft';
  const isAgain = whereabouts.state === 'send_again';
  return (
    <Notice kind={isDraft ? 'waiting' : 'info'} title={TITLES[whereabouts.state] ?? 'Sent for approval'} className="mb-6">
      {isAgain && <p>{whereabouts.why}</p>}
      {isDraft ? (
        <p>
          {files.length === 0 ? 'Add your receipts below, then send it' : 'Send it'} to {to} for approval.
        </p>
      ) : (
        <p>We’ll tell you when {to} decides. Until then, you can cancel it.</p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {isDraft && (
          <>
            <button type="button" className="btn btn-primary" disabled={busy} data-busy={busy} onClick={() => change('/submit')}>
              <Send size={18} aria-hidden="true" />
              {busy ? 'Sending…' : isAgain ? 'Send again' : 'Send request'}
            </button>
            <Link className="btn" href={`/disbursements/${id}/edit`}>
              <PencilLine size={18} aria-hidden="true" />
              Change
            </Link>
          </>
        )}
        <CancelRequest disbursement={disbursement} busy={busy} onConfirm={() => change('/cancel')} />
      </div>
      {problem !== null && (
        <p className="field-error mt-3" role="alert">
          {problem}
        </p>
      )}
    </Notice>
  );
}

interface CancelRequestProps {
  disbursement: Disbursement;
  busy: boolean;
  onConfirm: () => Promise<unknown>;
}

function CancelRequest({ disbursement, busy, onConfirm }: CancelRequestProps) {
  const [asking, setAsking] = useState(false);
  const confirm = async () => {
    await onConfirm();
    setAsking(false);
  };
  return (
    <>
      <button
        type="button"
        className={`btn btn-ghost ${disbursement.status === 'draft' ? 'max-sm:-ms-4' : '-ms-4'}`}
        disabled={busy}
        onClick={() => setAsking(true)}
      >
        Cancel the request
      </button>
      {asking && (
        <ConfirmDialog
          title={`Cancel this request for ${moneyWords(disbursement.amount_cents)}?`}
          action="Cancel the request"
          doing="Cancelling…"
          keep="Keep it"
          busy={busy}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        >
          <p>Nothing will be paid, and you can’t send this request again. You can always write a new one.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
