'use client';

import { useId, useState } from 'react';
import { readSignInProblem, type SignInProblem } from '../session/sign-in-errors.ts';
import { CodeEntry } from './code-entry.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { ResendButton, type ResendOutcome } from './resend-button.tsx';
import { attemptSignIn } from './sign-in.ts';

/** The second factor that the account requires. */
export interface CodeChallenge {
  type: 'totp' | 'otp';
  method: 'app' | 'email' | 'sms';
}

interface Props {
  challenge: CodeChallenge;
  onSignedIn: () => void;
  /** Returns to the password step. `ranOut` is true if the challenge has ended. */
  onLeave: (ranOut: boolean) => void;
}

const WHERE = {
  app: 'Open your authenticator app and enter the six digits it shows.',
  email: 'We sent six digits to your email address. They work for ten minutes.',
  sms: 'We sent six digits to your phone. They work for ten minutes.',
};

/** The second step of signing in (WEB-15). */
export function CodeForm({ challenge, onSignedIn, onLeave }: Props) {
  const id = useId();
  const [problem, setProblem] = useState<SignInProblem | null>(null);

  const tryCode = async (code: string) => {
    setProblem(null);
    const rejection = await attemptSignIn({ code });
    if (rejection === null) onSignedIn();
    else if (rejection.code === 'challenge_over') onLeave(true);
    else {
      setProblem(rejection);
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
    const rejection = readSignInProblem(body.problem ?? '');
    if (rejection.code === 'challenge_over') {
      onLeave(true);
      return null;
    }
    setProblem(rejection);
    return { sent: false, wait: rejection.code === 'throttled' ? rejection.seconds : 0 };
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
