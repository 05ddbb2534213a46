'use client';

import { type ReactNode, useState } from 'react';
import { accountProblem } from '../api/account-words.ts';
import { ApiError } from '../api/api-error.ts';
import { Notice } from '../look/notice.tsx';
import { CodeEntry } from '../sign-in/code-entry.tsx';
import { ResendButton, type ResendOutcome } from '../sign-in/resend-button.tsx';

interface Props {
  title: string;
  text: ReactNode;
  action: string;
  busyAction: string;
  /** Tries the code. Throws the API's error if it is rejected. */
  onCode: (code: string) => Promise<void>;
  onCancel: () => void;
  /** Sends another code, for methods that send codes. */
  onResend?: () => Promise<void>;
  backup?: boolean;
}

/** Asks for the code that turning a method on or off requires (TWO-FACTOR-10). */
export function TwoFactorCode({ title, text, action, busyAction, onCode, onCancel, onResend, backup = false }: Props) {
  const [problem, setProblem] = useState<unknown>(null);

  const tryCode = async (code: string) => {
    setProblem(null);
    try {
      await onCode(code);
      return 'done';
    } catch (error) {
      setProblem(error);
      return 'again';
    }
  };

  const resend = async (): Promise<ResendOutcome> => {
    setProblem(null);
    try {
      await onResend?.();
      return { sent: true, wait: 0 };
    } catch (error) {
      setProblem(error);
      return { sent: false, wait: error instanceof ApiError ? (error.retryAfter ?? 0) : 0 };
    }
  };

  return (
    <section aria-label={title}>
      <h3 className="font-medium">{title}</h3>
      <div className="quiet mt-1 mb-4 text-small">{text}</div>
      {problem !== null && <Notice kind="error" title={accountProblem(problem)} className="mb-4" />}
      <CodeEntry
        onCode={tryCode}
        backup={backup}
        invalid={problem instanceof ApiError && problem.code === 'wrong_code'}
        action={action}
        busyAction={busyAction}
      />
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <button type="button" className="btn btn-ghost btn-sm -ms-3" onClick={onCancel}>
          Cancel
        </button>
        {onResend !== undefined && <ResendButton onResend={resend} />}
      </div>
    </section>
  );
}
