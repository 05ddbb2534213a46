import 'client-only';
import { useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { ApiError, errorMessage } from '../../api/api-error.ts';
import type { DisbursementFields, SaveTarget } from './save-disbursement.ts';
import { ReceiptError, type SendState, sendRequest } from './send-request.ts';

interface Options {
  target: SaveTarget;
  /** Shows the API's errors about fields. @returns true if there are any. */
  showProblems: (problems: Partial<Record<keyof DisbursementFields, string>>) => boolean;
  onSaved: () => void;
  /** Opens the next page. */
  leave: (open: () => void) => void;
}

/** The receipts of a request and the attempts to send it. */
export function useSending({ target, showProblems, onSaved, leave }: Options) {
  const router = useRouter();
  const [files, setFiles] = useState<File[]>([]);
  const [step, setStep] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [receiptProblem, setReceiptProblem] = useState<string | null>(null);
  const [savedId, setSavedId] = useState<number | null>(null);
  const state = useRef<SendState>({ id: target.draft?.id ?? null, uploaded: new Set() });
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  useWarningBeforeLeaving(files.length > 0);

  const send = async (fields: DisbursementFields, { submits }: { submits: boolean }) => {
    setProblem(null);
    setReceiptProblem(null);
    leaving.current = new AbortController();
    const { signal } = leaving.current;
    try {
      const saved = await sendRequest(fields, target, { files, state: state.current, submits, signal, onStep: setStep });
      onSaved();
      setFiles([]);
      leave(() => router.push(`/disbursements/${saved.id}`));
    } catch (error) {
      setStep(null);
      if (signal.aborted) return;
      setSavedId(state.current.id);
      if (error instanceof ReceiptError) {
        setReceiptProblem(`“${error.file.name}” wasn’t uploaded, so the request isn’t sent yet. ${error.message}`);
        return;
      }
      const problems = error instanceof ApiError ? Object.entries(error.fields) : [];
      const isShown = showProblems(Object.fromEntries(problems.map(([name, message]) => [fieldOf(name), message])));
      if (!isShown) setProblem(errorMessage(error));
    }
  };
  const choose = (chosen: File[]) => {
    setReceiptProblem(null);
    setFiles(chosen);
  };
  return { files, choose, step, problem, receiptProblem, savedId, send };
}

/** Returns the form field that shows the API's error about a field. */
function fieldOf(name: string): keyof DisbursementFields {
  // A scheduled payment that does not match is one for another payee (PLAN-3).
  if (name.startsWith('payee') || name === 'scheduled_payment_id') return 'payee';
  return name === 'category' || name === 'description' ? name : 'amount';
}

/** Chosen files are lost when the document is closed, unlike texts, which this device stores. */
function useWarningBeforeLeaving(hasFiles: boolean): void {
  useEffect(() => {
    if (!hasFiles) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [hasFiles]);
}
