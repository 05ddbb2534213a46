'use client';

import type { DemoPerson } from '@case-platform/words/sign-in/demo-people';
import type { ApiUserType } from '@case-platform/words/user-types';
import dynamic from 'next/dynamic';
import { type ReactNode, useState } from 'react';
import type { CodeChallenge } from './code-form.tsx';
import { PasswordForm } from './password-form.tsx';

/** Loaded on demand, because most people have no second step. */
const CodeForm = dynamic(() => import('./code-form.tsx').then((module) => module.CodeForm));

interface Props {
  back: string;
  role: ApiUserType | undefined;
  challenge: CodeChallenge | null;
  demoPeople: readonly DemoPerson[];
  /** Notices above the form. */
  children: ReactNode;
}

/** The two steps of signing in. After a reload in between, the code step is shown again. */
export function LoginFlow({ back, role, challenge: waiting, demoPeople, children }: Props) {
  const [challenge, setChallenge] = useState(waiting);
  const [over, setOver] = useState(false);
  // A full page load, so that no data of a previous session stays in memory.
  const enter = () => location.assign(back);
  if (challenge !== null) {
    const leave = (ranOut: boolean) => {
      setOver(ranOut);
      setChallenge(null);
    };
    return (
      <div className="panel sign-in-panel">
        <CodeForm challenge={challenge} onSignedIn={enter} onLeave={leave} />
      </div>
    );
  }
  return (
    <PasswordForm role={role} codeRanOut={over} demoPeople={demoPeople} onSignedIn={enter} onCode={setChallenge}>
      {children}
    </PasswordForm>
  );
}
