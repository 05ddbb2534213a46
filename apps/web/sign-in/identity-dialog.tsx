'use client';

import { type ComponentType, useEffect, useState } from 'react';
import { offerIdentityDialog } from '../api/confirm-identity.ts';
import type { IdentityAsked } from './identity-question.tsx';

interface Open extends IdentityAsked {
  Question: ComponentType<IdentityAsked>;
}

/**
 * The dialog that asks for the password or a code before a protected change (IDENTITY-1). Its content is loaded when it is first
 * needed, which on most pages is never.
 */
export function IdentityDialog() {
  const [open, setOpen] = useState<Open | null>(null);
  useEffect(
    () =>
      offerIdentityDialog(async (problem) => {
        const { IdentityQuestion: Question } = await import('./identity-question.tsx');
        return new Promise((resolve) => {
          setOpen({
            Question,
            problem,
            answer: (proof) => {
              setOpen(null);
              resolve(proof);
            },
          });
        });
      }),
    [],
  );
  if (open === null) return null;
  const { Question, ...question } = open;
  return <Question {...question} />;
}
