'use client';

import { useId, useState } from 'react';
import { readSignInProblem, type SignInProblem } from '../session/sign-in-errors.ts';
import { CodeEntry } from './code-entry.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { ResendButton, type ResendOutcome } from './resend-button.tsx';
import { attemptSignIn } from './sign-in.ts';

/** Which second factor the account asks for. */
export interface CodeChallenge {
  type: 'totp' | 'otp';
  method: 'app' | 'email' | 'sms';
}

interface Props {
  challenge: CodeChallenge;
  onSignedIn: () => void;
  /** Back to the password; `ranOut` when no code can be entered any more. */
  onLeave: (ranOut: boolean) => void;
}

const WHERE = {
  app: 'Open your authenticator app and enter the six digits it shows.',
  email: 'We sent six digits to your email address. They work for ten minutes.',
  sms: 'We sent six digits to your phone. They work for ten minutes.',
};

/** The second step of signing in: the code of the account's method. */
export function CodeForm({ challenge, onSignedIn, onLeave }: Props) {
  const id = useId();
  const [problem, setProblem] = useState<SignInProblem | null>(null);

  const tryCode = async (code: string) => {
    setProblem(null);
    const found = await attemptSignIn({ code });
    if (found === null) onSignedIn();
    else if (found.code === 'challenge_over') onLeave(true);
    else {
      setProblem(found);
      return 'again';
    }
    return 'done';
  };

  const startAgain = async () => {
    await fetch('/api/auth/code', { method: 'DELETE' }).catch(() => undefined);
    onLeave(false);
  };

  const resend = async (): Promise<ResendOutcome | null> => {
    setProblem(null);
    const answer = await fetch('/api/auth/code', { method: 'POST' }).catch(() => null);
    if (answer?.ok) return { sent: true, wait: 0 };
    const body: { problem?: string } = (await answer?.json().catch(() => ({}))) ?? {};
    const found = readSignInProblem(body.problem ?? '');
    if (found.code === 'challenge_over') {
      onLeave(true);
      return null;
    }
    setProblem(found);
    return { sent: false, wait: found.code === 'throttled' ? found.seconds : 0 };
  };

  return (
    <section aria-labelledby={`${id}-title`}>
      <h1 id={`${id}-title`} className="page-title mb-2">
        Enter your code
      </h1>
      <p className="quiet mb-6">{WHERE[challenge.method]}</p>
      {problem !== null && <ProblemNotice problem={problem} />}
      <CodeEntry
        onCode={tryCode}
        backup={challenge.method === 'app'}
        invalid={problem?.code === 'wrong_code'}
        action="Continue"
        busyAction="Checking…"
        wide
      />
      <div className="mt-4 flex flex-wrap items-center justify-between gap-2 border-t border-hairline pt-4">
        <button type="button" className="btn btn-ghost btn-sm -ms-3" onClick={startAgain}>
          Use another account
        </button>
        {challenge.type === 'otp' && <ResendButton onResend={resend} />}
      </div>
    </section>
  );
}
