import { GeistMono } from 'geist/font/mono';
import type { ReactNode } from 'react';
import { BrandLine } from '../look/brand.tsx';

/** The layout of the pages that need no session (WEB-2). */
export function SignInFrame({ children }: { children: ReactNode }) {
  return (
    <main className={`${GeistMono.variable} mx-auto flex min-h-dvh w-full max-w-[26rem] flex-col justify-center px-5 py-10`}>
      <p className="shell-brand mb-8">
        <BrandLine />
      </p>
      {children}
    </main>
  );
}
