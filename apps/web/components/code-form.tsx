'use client';

import { OTPField } from '@base-ui/react/otp-field';
import { useEffect, useId, useRef, useState } from 'react';
import { attemptSignIn } from '../lib/sign-in.ts';
import { readSignInProblem, type SignInProblem } from '../lib/sign-in-errors.ts';
import { useHydrated } from '../lib/use-hydrated.ts';
import { Notice } from './notice.tsx';
import { ProblemNotice } from './password-form.tsx';

const DIGITS = 6;
const RESEND_AFTER_SECONDS = 60;

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
  app: 'Open your authenticator app and enter the six digits that it shows.',
  email: 'We have sent six digits to your email address. They work for ten minutes.',
  sms: 'We have sent six digits to your phone. They work for ten minutes.',
};

/** The code input: six boxes, sent as soon as they are full. */
export function CodeForm({ challenge, onSignedIn, onLeave }: Props) {
  const id = useId();
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<SignInProblem | null>(null);
  const [busy, setBusy] = useState(false);
  const sending = useRef(false);

  const send = async (digits: string) => {
    if (digits.length !== DIGITS || sending.current) return;
    sending.current = true;
    setBusy(true);
    setProblem(null);
    const found = await attemptSignIn({ code: digits });
    if (found === null) return onSignedIn();
    sending.current = false;
    setBusy(false);
    if (found.code === 'challenge_over') return onLeave(true);
    setCode('');
    setProblem(found);
  };
  // Only now are the boxes enabled again and can take the focus.
  useEffect(() => {
    if (problem !== null && !busy) document.getElementById(id)?.focus();
  }, [problem, busy, id]);

  const startAgain = async () => {
    await fetch('/api/auth/code', { method: 'DELETE' }).catch(() => undefined);
    onLeave(false);
  };

  return (
    <form
      aria-labelledby={`${id}-title`}
      onSubmit={(event) => {
        event.preventDefault();
        void send(code);
      }}
    >
      <h1 id={`${id}-title`} className="page-title mb-2">
        Enter your code
      </h1>
      <p id={`${id}-where`} className="quiet mb-6">
        {WHERE[challenge.method]}
      </p>
      {problem !== null && <ProblemNotice problem={problem} />}
      <label className="field-label mb-2 block" htmlFor={id}>
        Six-digit code
      </label>
      <CodeBoxes
        id={id}
        value={code}
        onValue={setCode}
        onComplete={(digits) => void send(digits)}
        disabled={busy}
        invalid={problem?.code === 'wrong_code'}
        describedBy={`${id}-where`}
      />
      <button type="submit" className="btn btn-primary mt-6 w-full" disabled={busy || code.length !== DIGITS}>
        {busy ? 'Checking…' : 'Continue'}
      </button>
      <div className="mt-4 flex flex-wrap items-center justify-between gap-2">
        <button type="button" className="btn btn-ghost btn-sm -ms-3" onClick={startAgain}>
          Use another account
        </button>
        {challenge.type === 'otp' && <ResendButton onProblem={setProblem} onOver={() => onLeave(true)} />}
      </div>
    </form>
  );
}

interface BoxesProps {
  id: string;
  value: string;
  onValue: (value: string) => void;
  onComplete: (value: string) => void;
  disabled: boolean;
  invalid: boolean;
  describedBy: string;
}

/**
 * The six boxes. They are made in the browser only: their hidden helper carries a style attribute, which the
 * Content-Security-Policy refuses in a page but not from a script.
 */
function CodeBoxes({ id, value, onValue, onComplete, disabled, invalid, describedBy }: BoxesProps) {
  const hydrated = useHydrated();
  if (!hydrated) return <div className="code-input h-14" aria-hidden="true" />;
  return (
    <OTPField.Root
      id={id}
      className="code-input"
      length={DIGITS}
      value={value}
      onValueChange={onValue}
      onValueComplete={onComplete}
      disabled={disabled}
      aria-describedby={describedBy}
      aria-invalid={invalid}
    >
      {Array.from({ length: DIGITS }, (_, index) => (
        <OTPField.Input
          // biome-ignore lint/suspicious/noArrayIndexKey: the boxes are their positions.
          key={index}
          className="code-box"
          aria-label={index === 0 ? undefined : `Digit ${index + 1} of ${DIGITS}`}
          autoFocus={index === 0}
        />
      ))}
    </OTPField.Root>
  );
}

interface ResendProps {
  onProblem: (problem: SignInProblem | null) => void;
  onOver: () => void;
}

function ResendButton({ onProblem, onOver }: ResendProps) {
  const [wait, setWait] = useState(RESEND_AFTER_SECONDS);
  const [sent, setSent] = useState(false);
  useEffect(() => {
    if (wait === 0) return;
    const timer = setTimeout(() => setWait(wait - 1), 1000);
    return () => clearTimeout(timer);
  }, [wait]);

  const resend = async () => {
    setSent(false);
    onProblem(null);
    const answer = await fetch('/api/auth/code', { method: 'POST' }).catch(() => null);
    if (answer?.ok) {
      setSent(true);
      setWait(RESEND_AFTER_SECONDS);
      return;
    }
    const body: { problem?: string } = (await answer?.json().catch(() => ({}))) ?? {};
    const problem = readSignInProblem(body.problem ?? '');
    if (problem.code === 'challenge_over') onOver();
    else onProblem(problem);
  };

  return (
    <>
      <button type="button" className="btn btn-ghost btn-sm -me-3" onClick={resend} disabled={wait > 0}>
        {wait > 0 ? `New code in ${wait} s` : 'Send a new code'}
      </button>
      {sent && <Notice kind="done" title="A new code is on its way" className="w-full" />}
    </>
  );
}
