'use client';

import type { ApiUserType } from '@case-platform/words/user-types';
import dynamic from 'next/dynamic';
import { useState } from 'react';
import type { CodeChallenge } from './code-form.tsx';
import { PasswordForm } from './password-form.tsx';

/** Loaded on demand, because most people have no second step. */
const CodeForm = dynamic(() => import('./code-form.tsx').then((module) => module.CodeForm));

interface Props {
  back: string;
  rememberedRole: ApiUserType;
  challenge: CodeChallenge | null;
}

/** The two steps of signing in. After a reload in between, the code step is shown again. */
export function LoginFlow({ back, rememberedRole, challenge: waiting }: Props) {
  const [challenge, setChallenge] = useState(waiting);
  const [over, setOver] = useState(false);
  // A full page load, so that no data of a previous session stays in memory.
  const enter = () => location.assign(back);
  if (challenge !== null) {
    const leave = (ranOut: boolean) => {
      setOver(ranOut);
      setChallenge(null);
    };
    return <CodeForm challenge={challenge} onSignedIn={enter} onLeave={leave} />;
  }
  return <PasswordForm rememberedRole={rememberedRole} codeRanOut={over} onSignedIn={enter} onCode={setChallenge} />;
}
