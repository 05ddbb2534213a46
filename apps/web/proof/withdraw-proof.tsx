'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { apiBrowser } from '../api/api-browser.ts';
import { errorMessage } from '../api/api-error.ts';
import type { IssuedProof } from '../api/api-shapes.ts';
import { ConfirmDialog } from '../look/confirm-dialog.tsx';

interface Props {
  caseId: number;
  proof: Pick<IssuedProof, 'id' | 'addressee'>;
}

export function WithdrawProof({ caseId, proof }: Props) {
  const router = useRouter();
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const withdraw = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await apiBrowser<IssuedProof>(`/api/cases/${caseId}/proofs/${proof.id}/withdraw`, { method: 'POST' });
      router.refresh();
    } catch (error) {
      setProblem(errorMessage(error));
    } finally {
      setBusy(false);
      setAsking(false);
    }
  };
  return (
    <>
      <button type="button" className="btn btn-ghost btn-sm" disabled={isBusy} onClick={() => setAsking(true)}>
        Withdraw
      </button>
      {problem !== null && (
        <p className="field-error basis-full" role="alert">
          {problem}
        </p>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Withdraw this proof of funds?"
          action="Withdraw it"
          doing="Withdrawing…"
          keep="Cancel"
          busy={isBusy}
          onConfirm={withdraw}
          onClose={() => setAsking(false)}
        >
          <p>Its page will tell everyone who checks the code of {proof.addressee} that it was withdrawn. You can’t undo this.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
