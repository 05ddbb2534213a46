'use client';

import { type ComponentType, useEffect, useState } from 'react';
import { offerIdentityDialog } from '../api/confirm-identity.ts';
import type { IdentityAsked } from './identity-question.tsx';

interface Open extends IdentityAsked {
  Question: ComponentType<IdentityAsked>;
}

/**
 * The one dialog that asks who it is before a change that protects the account or the money: the password, or a code where
 * two-factor is on. It is fetched when it is first needed, which on most pages is never.
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
  const { Question, ...asked } = open;
  return <Question {...asked} />;
}
